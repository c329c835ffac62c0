import { type FormEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { ContactField, type ContactInput, contactOf } from './contact-field.tsx'
import type { Visit } from './requests.ts'
import { Submit } from './submit.tsx'
import { useSending } from './use-sending.ts'

interface LostLinkProps {
  readonly visit: Visit
  readonly onBack: () => void
}

/** Sends the link to the card again, if the address belongs to one; the page says the same either way. */
export function LostLink({ visit, onBack }: LostLinkProps) {
  const { t } = useTranslation('enroll')
  const { channels } = visit.offer
  const [contact, setContact] = useState<ContactInput>({ channel: channels[0] ?? 'email', text: '' })
  const [isDone, setDone] = useState(false)
  const { send, isSending, problem } = useSending()

  const submit = (event: FormEvent) => {
    event.preventDefault()
    send(async () => {
      await visit.sendLink(contactOf(contact))
      setDone(true)
    })
  }
  return (
    <section className="box" aria-live="polite">
      <h2>{t('lost.title')}</h2>
      {channels.length === 0 && <p className="soft">{t('lost.askAtTill')}</p>}
      {isDone && <p>{t('lost.done')}</p>}
      {channels.length > 0 && !isDone && (
        <form onSubmit={submit}>
          <p className="soft">{t('lost.about')}</p>
          <ContactField value={contact} onChange={setContact} channels={channels} problem={problem} />
          <Submit label={t('lost.submit')} isSending={isSending} problem={problem} />
        </form>
      )}
      <p className="lost">
        <button type="button" className="quiet" onClick={onBack}>
          {t('lost.back')}
        </button>
      </p>
    </section>
  )
}
