import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { cardAddress } from './offline.ts'
import type { WalletCard } from './use-card.ts'

const kinds = ['code128', 'qr'] as const

/** The card: merchant, customer, and the code to scan, always dark on white with space around it. */
export function CardFace({ card: shown }: { readonly card: WalletCard }) {
  // A card that this phone kept before the service listed tiers has none.
  const { organization, card, firstName, tiers = [] } = shown
  const { t } = useTranslation('wallet')
  const [kind, setKind] = useState<(typeof kinds)[number]>('code128')
  return (
    <section className="card" aria-label={t('card')}>
      <header>
        {organization.logo && <img className="logo" src={organization.logo} alt="" />}
        <div>
          <p className="merchant">{organization.name}</p>
          <h1>{card.campaignName}</h1>
        </div>
      </header>
      {firstName && <p className="greeting">{t('greeting', { name: firstName })}</p>}
      {tiers.length > 0 && (
        <ul className="tiers" aria-label={t('tiers')}>
          {tiers.map(({ campaign, key, name }) => (
            <li key={`${campaign} ${key}`}>
              <bdi>{name}</bdi>
            </li>
          ))}
        </ul>
      )}
      <div className="code">
        {card.barcode ? (
          <>
            <img
              className={kind}
              src={`${cardAddress}/${kind}.svg`}
              alt={t('codeOf', { number: card.barcode })}
            />
            <p className="number" dir="ltr">
              {card.barcode.replace(/(\d{4})(?=\d)/g, '$1 ')}
            </p>
          </>
        ) : (
          <p className="blocked">{t('blocked')}</p>
        )}
      </div>
      {card.barcode && (
        <fieldset className="kinds">
          <legend>{t('codeKind')}</legend>
          {kinds.map((item) => (
            <label key={item}>
              <input type="radio" name="kind" checked={kind === item} onChange={() => setKind(item)} />
              <span>{t(item)}</span>
            </label>
          ))}
        </fieldset>
      )}
    </section>
  )
}
