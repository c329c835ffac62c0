import { type FormEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { ContactField, type ContactInput, contactOf } from './contact-field.tsx'
import type { Visit } from './requests.ts'
import { Submit } from './submit.tsx'
import { useSending } from './use-sending.ts'

export function EnrollForm({ visit }: { readonly visit: Visit }) {
  const { t, i18n } = useTranslation('enroll')
  const { organization, consent, needsApproval, channels } = visit.offer
  const [fullname, setFullname] = useState('')
  const [contact, setContact] = useState<ContactInput>({
    channel: channels.length === 1 ? channels[0]! : 'email',
    text: '',
  })
  const [marketing, setMarketing] = useState(false)
  const { send, isSending, problem } = useSending()

  const submit = (event: FormEvent) => {
    event.preventDefault()
    send(async () => {
      const applicant = { fullname: fullname.trim(), contact: contactOf(contact), marketing }
      const walletUrl = await visit.enroll({ ...applicant, language: i18n.language })
      // In place of this page: going back must not lead to a form that opens a second card.
      location.replace(walletUrl)
      // Until the browser has left, the button stays as it is.
      await new Promise(() => {})
    })
  }
  return (
    <form className="box" onSubmit={submit}>
      <h2>{t('form.title')}</h2>
      <label className="labeled">
        <span>{t('form.name')}</span>
        <input
          className="field"
          required
          name="name"
          autoComplete="name"
          maxLength={200}
          value={fullname}
          onChange={({ currentTarget }) => setFullname(currentTarget.value)}
        />
      </label>
      <ContactField value={contact} onChange={setContact} problem={problem} />
      <label className="consent">
        <input
          type="checkbox"
          checked={marketing}
          onChange={({ currentTarget }) => setMarketing(currentTarget.checked)}
        />
        <span>{consent[i18n.language] ?? consent.en}</span>
      </label>
      {needsApproval && <p className="soft">{t('form.approval', { merchant: organization.name })}</p>}
      <Submit label={t('form.submit')} isSending={isSending} problem={problem} />
      <Terms terms={organization.termsUrl} privacy={organization.privacyUrl} />
    </form>
  )
}

function Terms({ terms, privacy }: { readonly terms?: string; readonly privacy?: string }) {
  const { t } = useTranslation('enroll')
  if (!terms && !privacy) return null
  return (
    <p className="terms">
      {terms && (
        <a href={terms} target="_blank" rel="noreferrer">
          {t('terms')}
        </a>
      )}
      {privacy && (
        <a href={privacy} target="_blank" rel="noreferrer">
          {t('privacy')}
        </a>
      )}
    </p>
  )
}
