import { useTranslation } from 'react-i18next'
import { minus } from '../i18n/amounts.ts'
import { holdingWords, progressWords } from '../i18n/balance-words.ts'
import { currencyDecimals, formatDate, formatMoney, formatNumber, formatRelative } from '../i18n/format.ts'
import { cardAddress } from './offline.ts'
import { nowOf, type WalletCard } from './use-card.ts'

interface PartProps {
  readonly card: WalletCard
}

/** With more stamps than this, a progress bar is easier to read. */
const mostStamps = 20

export const balanceOf = ({ balances }: WalletCard, key: string) =>
  balances.find((balance) => balance.key === key) ?? { name: key, decimals: 0 }

/** Balances in the service's order: the card's own come first; those of other campaigns only if not empty. */
const shown = ({ balances }: WalletCard) =>
  balances.filter(({ value, otherCampaign }) => otherCampaign === undefined || value !== 0)

export function Balances({ card }: PartProps) {
  const { t } = useTranslation('wallet')
  return (
    <section className="balances" aria-label={t('balances')}>
      {shown(card).map(({ key, name, value, decimals, otherCampaign }) => (
        <div key={key} className="balance">
          <h2>
            <bdi>{name}</bdi>
            {otherCampaign && <small>{otherCampaign}</small>}
          </h2>
          <p className="value">{formatNumber(value, decimals)}</p>
          <Worth card={card} balance={{ key, name, value, decimals }} />
          {card.progress
            .filter((item) => item.key === key)
            .map(({ have, need, rewardName }) => (
              <Progress
                key={rewardName}
                have={have}
                need={need}
                rewardName={rewardName}
                name={name}
                decimals={decimals}
              />
            ))}
        </div>
      ))}
    </section>
  )
}

interface WorthProps extends PartProps {
  readonly balance: Pick<WalletCard['balances'][number], 'key' | 'name' | 'value' | 'decimals'>
}

/** What the balance is worth at the till: "100 Points = €1.00". */
function Worth({ card: { spend, organization }, balance }: WorthProps) {
  const { t } = useTranslation('wallet')
  if (spend?.key !== balance.key) return null
  const { worth, least = 0 } = spend
  const { currency } = organization
  const number = roundNumber(worth)
  const isEnough = balance.value > 0 && balance.value >= least
  return (
    <div className="worth">
      <p>
        {t('worth', {
          number: formatNumber(number),
          name: balance.name,
          money: formatMoney(number * worth, currency),
        })}
      </p>
      {isEnough && (
        <p>{t('worthNow', { money: formatMoney(wholeMoney(balance.value * worth, currency), currency) })}</p>
      )}
      {!isEnough && least > 0 && <p>{t('spendFrom', { least: formatNumber(least, balance.decimals) })}</p>}
    </div>
  )
}

/** The smallest of 10, 100, 1000 … that is worth a whole unit of money or more. */
function roundNumber(worth: number): number {
  let number = 10
  while (number * worth < 1 && number < 1e6) number *= 10
  return number
}

/** Rounded down, as at the till. The product of two decimals can be a hair below the amount it stands for. */
function wholeMoney(amount: number, currency: string): number {
  const scale = 10 ** currencyDecimals(currency)
  return Math.floor(Number((amount * scale).toFixed(4))) / scale
}

const passFiles = { apple: 'pass.pkpass', google: 'google-pass' } as const

/** Puts the card into the wallet of the phone. */
export function Passes({ card }: PartProps) {
  const { t } = useTranslation('wallet')
  // A card that this phone kept before the service had passes has none.
  const { passes = [] } = card
  if (passes.length === 0) return null
  return (
    <ul className="passes" aria-label={t('passes')}>
      {passes.map((wallet) => (
        <li key={wallet}>
          <a href={`${cardAddress}/${passFiles[wallet]}`}>{t(`addTo.${wallet}`)}</a>
        </li>
      ))}
    </ul>
  )
}

interface ProgressProps {
  readonly have: number
  readonly need: number
  readonly name: string
  readonly decimals: number
  readonly rewardName: string
}

function Progress({ have, need, name, decimals, rewardName }: ProgressProps) {
  const { t } = useTranslation('wallet')
  const filled = Math.max(0, Math.min(have, need))
  const label = progressWords({ name, decimals }, { have: filled, need, reward: rewardName })
  const isStamps = Number.isInteger(need) && need <= mostStamps
  return (
    <div className="progress">
      {isStamps ? (
        <div className="stamps" role="img" aria-label={label}>
          {Array.from({ length: need }, (_, i) => (
            <span key={i} className={i < Math.floor(filled) ? 'stamp full' : 'stamp'}>
              {i < Math.floor(filled) ? '✓' : i + 1 === need ? '★' : ''}
            </span>
          ))}
        </div>
      ) : (
        <progress max={need} value={filled} aria-label={label} />
      )}
      <p>{t('toGo', { missing: formatNumber(minus(need, filled), decimals), reward: rewardName })}</p>
    </div>
  )
}

export function Expiring({ card }: PartProps) {
  const { t } = useTranslation('wallet')
  if (card.expiring.length === 0) return null
  return (
    <section>
      <h2>{t('expiring')}</h2>
      <ul className="rows">
        {card.expiring.map(({ key, amount, at }) => (
          <li key={`${key} ${at}`}>
            <span>{holdingWords(balanceOf(card, key), amount)}</span>
            <time dateTime={at}>
              {formatDate(at, card.organization.timezone)} ({formatRelative(at, nowOf(card))})
            </time>
          </li>
        ))}
      </ul>
    </section>
  )
}
