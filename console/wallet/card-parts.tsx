import { useTranslation } from 'react-i18next'
import { minus } from '../i18n/amounts.ts'
import { changeWords, holdingWords, progressWords } from '../i18n/balance-words.ts'
import {
  formatChoice,
  formatDate,
  formatDateTime,
  formatMoney,
  formatNumber,
  formatRelative,
} from '../i18n/format.ts'
import { cardAddress } from './offline.ts'
import type { WalletCard } from './use-card.ts'

interface PartProps {
  readonly card: WalletCard
}

/** With more stamps than this, a progress bar is easier to read. */
const mostStamps = 20

const balanceOf = ({ balances }: WalletCard, key: string) =>
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

const sooner = (a: { expiresAt?: string }, b: { expiresAt?: string }) =>
  (a.expiresAt ?? '9').localeCompare(b.expiresAt ?? '9')

export function Coupons({ card }: PartProps) {
  const { t } = useTranslation('wallet')
  if (card.coupons.length === 0) return null
  return (
    <section className="coupons">
      <h2>{t('coupons')}</h2>
      <ul>
        {card.coupons.toSorted(sooner).map(({ id, name, products, expiresAt }) => (
          <li key={id}>
            <strong>
              <bdi>{name}</bdi>
            </strong>
            <span className="coupon-end">
              {expiresAt
                ? t('validUntil', { date: formatDate(expiresAt, card.organization.timezone) })
                : t('noExpiry')}
            </span>
            {products && (
              <span className="coupon-products">{t('oneFree', { products: formatChoice(products) })}</span>
            )}
          </li>
        ))}
      </ul>
      <p className="hint">{t('couponHint')}</p>
    </section>
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
              {formatDate(at, card.organization.timezone)} ({formatRelative(at)})
            </time>
          </li>
        ))}
      </ul>
    </section>
  )
}

export function Visits({ card }: PartProps) {
  const { t } = useTranslation('wallet')
  const { currency, timezone } = card.organization
  const change = (sums: Record<string, number> | undefined, sign: 1 | -1) =>
    Object.entries(sums ?? {}).map(([key, amount]) => changeWords(balanceOf(card, key), sign * amount))
  return (
    <section>
      <h2>{t('visits')}</h2>
      {card.visits.length === 0 ? (
        <p className="hint">{t('noVisits')}</p>
      ) : (
        <ul className="rows">
          {card.visits.map(({ at, amount, branchName, collected, spent }, i) => (
            <li key={`${at} ${i}`}>
              <span>
                <time dateTime={at}>{formatDateTime(at, timezone)}</time>
                <small>{[branchName, formatMoney(amount, currency)].filter(Boolean).join(' · ')}</small>
              </span>
              <div className="changes">
                {[...change(collected, 1), ...change(spent, -1)].map((text) => (
                  <p key={text}>{text}</p>
                ))}
              </div>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}
