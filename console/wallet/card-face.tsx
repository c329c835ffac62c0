import { useTranslation } from 'react-i18next'
import { CodePicture, KindChoice } from './code-picture.tsx'
import type { WalletCard } from './use-card.ts'
import type { CodeKind } from './use-code-kind.ts'

interface CardFaceProps {
  readonly card: WalletCard
  readonly kind: CodeKind
  readonly onKind: (kind: CodeKind) => void
}

/** The card: merchant, customer, and the code to scan. */
export function CardFace({ card: shown, kind, onKind }: CardFaceProps) {
  // A card that this phone kept before the service listed tiers has none.
  const { organization, card, firstName, tiers = [] } = shown
  const { t } = useTranslation('wallet')
  return (
    <section className="card" aria-label={t('card')}>
      <header>
        {organization.logo && <img className="logo" src={organization.logo} alt="" />}
        <div>
          <p className="merchant">{organization.name}</p>
          {organization.mode === 'test' && <strong className="test">{t('test')}</strong>}
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
          <CodePicture barcode={card.barcode} kind={kind} />
        ) : (
          <p className="blocked">
            {card.awaitsApproval ? t('awaitsApproval', { merchant: organization.name }) : t('blocked')}
          </p>
        )}
      </div>
      {card.barcode && <KindChoice name="kind" kind={kind} onChange={onKind} />}
    </section>
  )
}
