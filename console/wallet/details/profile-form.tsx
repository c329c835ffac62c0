import { type FormEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { formatDateTime } from '../../i18n/format.ts'
import { changeLanguage, type Language, languages } from '../../i18n/languages.ts'
import type { WalletCard } from '../use-card.ts'
import { ContactForm } from './contact-form.tsx'
import { changeProfile, type OwnProfile, readProfile } from './own-api.ts'
import { Trouble, useAttempt } from './trouble.tsx'

interface ProfileFormProps {
  readonly session: string
  readonly profile: OwnProfile
  readonly card: WalletCard
  readonly onChanged: () => void
  readonly onClose: () => void
}

const marketing = 'marketing'

/** What can be changed while the session lasts: name, language, consents, and addresses one by one. */
export function ProfileForm({ session, profile: first, card, onChanged, onClose }: ProfileFormProps) {
  const { t, i18n } = useTranslation('wallet-details')
  const [profile, setProfile] = useState(first)
  const [isSaved, setIsSaved] = useState(false)
  const { isBusy, failure, attempt } = useAttempt()
  const shownIn = i18n.language as Language
  const purposes = purposesOf(profile)
  const save = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const language = String(form.get('language')) as Language
    const consents = Object.fromEntries(
      purposes.map((purpose) => [purpose, form.has(`consent-${purpose}`)] as const),
    )
    setIsSaved(false)
    attempt(async () => {
      const patch = { fullname: String(form.get('fullname')), language, consents, shownIn }
      setProfile(await changeProfile(patch, session))
      if (language !== shownIn) await changeLanguage(language)
      setIsSaved(true)
      onChanged()
    })
  }
  return (
    <div className="profile">
      <form className="fields" onSubmit={save}>
        <label>
          <span>{t('profile.name')}</span>
          <input name="fullname" defaultValue={profile.fullname} autoComplete="name" maxLength={255} />
        </label>
        <LanguageField chosen={profile.language ?? shownIn} />
        <ConsentFields profile={profile} shownIn={shownIn} />
        <button type="submit" className="main" disabled={isBusy}>
          {t('profile.save')}
        </button>
        <Trouble failure={failure} />
        <output>{isSaved && t('profile.saved')}</output>
      </form>
      <Contacts
        profile={profile}
        session={session}
        onChanged={async () => {
          setProfile(await readProfile(session))
          onChanged()
        }}
      />
      <History profile={profile} timezone={card.organization.timezone} />
      <button type="button" onClick={onClose}>
        {t('close')}
      </button>
    </div>
  )
}

function LanguageField({ chosen }: { readonly chosen: Language }) {
  const { t } = useTranslation('wallet-details')
  return (
    <label>
      <span>{t('profile.language')}</span>
      <select name="language" defaultValue={chosen}>
        {Object.entries(languages).map(([key, { name }]) => (
          <option key={key} value={key} lang={key}>
            {name}
          </option>
        ))}
      </select>
    </label>
  )
}

interface ConsentFieldsProps {
  readonly profile: OwnProfile
  readonly shownIn: Language
}

function ConsentFields({ profile, shownIn }: ConsentFieldsProps) {
  const { t } = useTranslation('wallet-details')
  return (
    <fieldset className="choices">
      <legend>{t('profile.consents')}</legend>
      {purposesOf(profile).map((purpose) => (
        <label key={purpose} className="check">
          <input
            type="checkbox"
            name={`consent-${purpose}`}
            defaultChecked={profile.consents[purpose] === true}
          />
          <span>{purpose === marketing ? profile.consentWords[shownIn] : purpose}</span>
        </label>
      ))}
    </fieldset>
  )
}

interface ContactsProps extends Pick<ProfileFormProps, 'profile' | 'session'> {
  readonly onChanged: () => Promise<void>
}

/** Where the merchant can send something, there can be an address: it has to be confirmed. */
function Contacts({ profile: { channels, contacts }, session, onChanged }: ContactsProps) {
  return (['email', 'sms'] as const)
    .filter((channel) => channels.includes(channel))
    .map((channel) => (
      <ContactForm
        key={channel}
        channel={channel}
        address={contacts.find((contact) => contact.channel === channel)?.address}
        session={session}
        onChanged={onChanged}
      />
    ))
}

/** Offers always, and whatever else the merchant has asked the customer about. */
const purposesOf = ({ consents: { history: _, ...others } }: OwnProfile): string[] => [
  ...new Set([marketing, ...Object.keys(others)]),
]

function History({ profile, timezone }: { readonly profile: OwnProfile; readonly timezone: string }) {
  const { t } = useTranslation('wallet-details')
  const { history } = profile.consents
  if (history.length === 0) return null
  return (
    <details className="history">
      <summary>{t('profile.history')}</summary>
      <ul>
        {history.toReversed().map(({ purpose, given, at, wording }, i) => (
          <li key={`${at} ${i}`}>
            <time dateTime={at}>{formatDateTime(at, timezone)}</time>{' '}
            {t(given ? 'profile.agreed' : 'profile.withdrawn', {
              purpose: purpose === marketing ? t('profile.offers') : purpose,
            })}
            {wording && (
              <q>
                <bdi>{wording}</bdi>
              </q>
            )}
          </li>
        ))}
      </ul>
    </details>
  )
}
