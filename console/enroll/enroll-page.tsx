import { type CSSProperties, useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { textOn } from '../brand-colors.ts'
import { formatNumber } from '../i18n/format.ts'
import { adoptLanguage, changeLanguage, type Language, languages } from '../i18n/languages.ts'
import { EnrollForm } from './enroll-form.tsx'
import { LostLink } from './lost-link.tsx'
import { Failed, type Offer, openVisit, type Visit } from './requests.ts'

type State = { readonly kind: 'loading' | 'gone' | 'unreachable' } | { readonly kind: 'shown'; visit: Visit }

/** Where a customer gets a card alone: from a poster to the card in a minute. */
export function EnrollPage() {
  const { t } = useTranslation('enroll')
  const state = useVisit()
  if (state.kind === 'loading') return <output className="notice">{t('loading')}</output>
  if (state.kind !== 'shown') {
    return (
      <main className="notice">
        <h1>{t(`${state.kind}.title`)}</h1>
        <p>{t(`${state.kind}.about`)}</p>
        {state.kind === 'unreachable' && (
          <button type="button" className="secondary" onClick={() => location.reload()}>
            {t('tryAgain')}
          </button>
        )}
      </main>
    )
  }
  const { visit } = state
  const { offer } = visit
  return (
    <main className="page" style={colorsOf(offer)}>
      <Dress offer={offer} />
      <Teaser offer={offer} />
      <Parts visit={visit} />
      <LanguageChoice />
    </main>
  )
}

function Parts({ visit }: { readonly visit: Visit }) {
  const [isLost, setLost] = useState(false)
  const { t } = useTranslation('enroll')
  if (isLost) return <LostLink visit={visit} onBack={() => setLost(false)} />
  return (
    <>
      {visit.offer.isOpen ? <EnrollForm visit={visit} /> : <Closed />}
      <p className="lost">
        <button type="button" className="quiet" onClick={() => setLost(true)}>
          {t('lost.open')}
        </button>
      </p>
    </>
  )
}

function useVisit(): State {
  const [state, setState] = useState<State>({ kind: 'loading' })
  useEffect(() => {
    openVisit().then(
      (visit) => setState({ kind: 'shown', visit }),
      (error: unknown) => {
        const isGone = error instanceof Failed && error.code === '_not_found'
        setState({ kind: isGone ? 'gone' : 'unreachable' })
      },
    )
  }, [])
  return state
}

function Teaser({ offer: { organization, campaignName, rewards } }: { readonly offer: Offer }) {
  const { t } = useTranslation('enroll')
  return (
    <header className="teaser">
      <div className="merchant">
        {organization.logo && <img className="logo" src={organization.logo} alt="" />}
        <span>{organization.name}</span>
        {organization.mode === 'test' && <strong className="test">{t('test')}</strong>}
      </div>
      <h1>{campaignName}</h1>
      {rewards.length > 0 && (
        <ul className="rewards">
          {rewards.map(({ name, needed, balanceName }) => (
            <li key={`${balanceName} ${needed} ${name}`}>
              <span className="needed">
                {t('needed', { amount: formatNumber(needed), balance: balanceName })}
              </span>
              <strong>{name}</strong>
            </li>
          ))}
        </ul>
      )}
    </header>
  )
}

function Closed() {
  const { t } = useTranslation('enroll')
  return (
    <section className="box">
      <h2>{t('closed.title')}</h2>
      <p className="soft">{t('closed.about')}</p>
    </section>
  )
}

/** Sets the tab title and the browser's color to the merchant's. */
function Dress({ offer: { organization, campaignName } }: { readonly offer: Offer }) {
  useEffect(() => {
    adoptLanguage(organization.locale)
    document.title = `${campaignName} · ${organization.name}`
    const theme = document.getElementById('theme-color') ?? document.createElement('meta')
    theme.id = 'theme-color'
    theme.setAttribute('name', 'theme-color')
    theme.setAttribute('content', organization.color)
    document.head.append(theme)
  }, [organization, campaignName])
  return null
}

const colorsOf = ({ organization: { color } }: Offer): CSSProperties =>
  ({ '--brand': color, '--on-brand': textOn(color) }) as CSSProperties

function LanguageChoice() {
  const { t, i18n } = useTranslation('enroll')
  return (
    <label className="language">
      <span>{t('language')}</span>
      <select
        value={i18n.language}
        onChange={({ currentTarget }) => {
          changeLanguage(currentTarget.value as Language).catch(() => {})
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
