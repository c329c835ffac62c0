import { type CSSProperties, lazy, Suspense, useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { textOn } from '../brand-colors.ts'
import { formatDateTime } from '../i18n/format.ts'
import {
  adoptChosenLanguage,
  adoptLanguage,
  changeLanguage,
  type Language,
  languages,
} from '../i18n/languages.ts'
import { CardFace } from './card-face.tsx'
import { Balances, Expiring, Passes } from './card-parts.tsx'
import { Coupons } from './coupons.tsx'
import type { DetailsTask } from './details/details-panel.tsx'
import { Merchant } from './merchant.tsx'
import { cardAddress } from './offline.ts'
import { useCard, type WalletCard } from './use-card.ts'
import { useCodeKind } from './use-code-kind.ts'
import { Visits } from './visits.tsx'
import { YourDetails } from './your-details.tsx'

/** These come when they are needed: most readers only show their card. */
const ConfirmContact = lazy(() => import('./details/confirm-contact.tsx'))
const LostLink = lazy(() => import('./details/lost-link.tsx'))

/** The customer's wallet page: the card to scan, and everything on it. */
export function WalletPage() {
  const { state, reload } = useCard()
  const [isErased, setIsErased] = useState(false)
  const { t } = useTranslation('wallet')
  if (isErased) {
    return (
      <main className="notice">
        <h1>{t('goodbye.title')}</h1>
        <p>{t('goodbye.about')}</p>
      </main>
    )
  }
  if (state.kind === 'loading') return <output className="notice">{t('loading')}</output>
  if (state.kind !== 'shown') {
    return (
      <main className="notice">
        <h1>{t(`${state.kind}.title`)}</h1>
        <p>{t(`${state.kind}.about`)}</p>
        {state.kind === 'unreachable' && (
          <button type="button" onClick={() => location.reload()}>
            {t('tryAgain')}
          </button>
        )}
        {state.kind === 'gone' && (
          <Suspense>
            <LostLink />
          </Suspense>
        )}
      </main>
    )
  }
  return <ShownCard {...state} onChanged={reload} onErased={() => setIsErased(true)} />
}

interface ShownCardProps {
  readonly card: WalletCard
  readonly isKept: boolean
  readonly onChanged: () => void
  readonly onErased: () => void
}

function ShownCard({ card, isKept, onChanged, onErased }: ShownCardProps) {
  const { t } = useTranslation('wallet')
  const [kind, setKind] = useCodeKind()
  const [task, setTask] = useState<DetailsTask>()
  return (
    <main className="page" style={colorsOf(card)}>
      <Dress card={card} />
      {isKept && (
        <output className="kept">
          {t('kept', { at: formatDateTime(card.updatedAt, card.organization.timezone) })}
        </output>
      )}
      {/* A card that this phone kept before customers could enroll has no such list. */}
      {!isKept && !task && (card.unconfirmed?.length ?? 0) > 0 && (
        <Suspense>
          <ConfirmContact card={card} onChanged={onChanged} />
        </Suspense>
      )}
      <CardFace card={card} kind={kind} onKind={setKind} />
      <Coupons card={card} kind={kind} onKind={setKind} />
      {!isKept && <Passes card={card} />}
      <Balances card={card} />
      <Expiring card={card} />
      <Visits card={card} />
      <YourDetails {...{ card, isKept, task, onChanged, onErased }} onTask={setTask} />
      <Merchant card={card} />
      <LanguageChoice />
    </main>
  )
}

/** Sets the tab title and the browser's color to the merchant's. */
function Dress({ card: { organization, card, language } }: { readonly card: WalletCard }) {
  useEffect(() => {
    // A card that this phone kept may be in a language whose texts it did not keep: the page stays as it is.
    const adopting = language ? adoptChosenLanguage(language) : adoptLanguage(organization.locale)
    adopting.catch(() => {})
    document.title = `${card.campaignName} · ${organization.name}`
    place('meta', 'theme-color', { name: 'theme-color', content: organization.color })
    place('link', 'manifest', { rel: 'manifest', href: `${cardAddress}/manifest.webmanifest` })
    // iPhones take the home screen icon from here, not from the manifest.
    place('link', 'touch-icon', { rel: 'apple-touch-icon', href: '/w/icon-192.png' })
  }, [organization, card.campaignName, language])
  return null
}

function place(tag: string, id: string, attributes: Record<string, string>): void {
  const element = document.getElementById(id) ?? document.head.appendChild(document.createElement(tag))
  element.id = id
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value)
}

const colorsOf = ({ organization: { color } }: WalletCard): CSSProperties =>
  ({ '--brand': color, '--on-brand': textOn(color) }) as CSSProperties

function LanguageChoice() {
  const { t, i18n } = useTranslation('wallet')
  return (
    <label className="language">
      <span>{t('language')}</span>
      <select
        value={i18n.language}
        // Without a network, the language stays unchanged, and the field shows that. Browsers never retry an
        // import that failed, so it is not even attempted.
        onChange={({ currentTarget }) => {
          if (navigator.onLine) changeLanguage(currentTarget.value as Language).catch(() => {})
        }}
      >
        {Object.entries(languages).map(([key, { name }]) => (
          <option key={key} value={key} lang={key}>
            {name}
          </option>
        ))}
      </select>
    </label>
  )
}
