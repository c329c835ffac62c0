import { type FormEvent, useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { CodeForm } from './code-steps.tsx'
import { type Channel, confirmContact, sendCode } from './own-api.ts'
import { Trouble, useAttempt } from './trouble.tsx'

interface ContactFormProps {
  readonly channel: Channel
  readonly address: string | undefined
  readonly session: string
  readonly onChanged: () => Promise<void>
}

/** A new address replaces the old one only when the code that was sent there has come back. */
export function ContactForm({ channel, address, session, onChanged }: ContactFormProps) {
  const { t } = useTranslation('wallet-details')
  const [step, setStep] = useState<'shown' | 'editing' | { readonly given: string; readonly sentTo: string }>(
    'shown',
  )
  const [outcome, setOutcome] = useState<'attached' | 'known'>()
  const [knownUrl, setKnownUrl] = useState<string>()
  const input = useRef<HTMLInputElement>(null)
  const { isBusy, failure, attempt } = useAttempt()
  useEffect(() => {
    if (step === 'editing') input.current?.focus()
  }, [step])
  const close = useRef(() => setStep('shown')).current
  const send = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const given = String(new FormData(event.currentTarget).get('address'))
    setOutcome(undefined)
    attempt(async () => {
      const { address: sentTo } = await sendCode({ purpose: 'contact', channel, address: given }, session)
      setStep({ given, sentTo })
    })
  }
  const confirm = async (code: string) => {
    const { isAttached, walletUrl } = await confirmContact({ channel, code })
    setOutcome(isAttached ? 'attached' : 'known')
    setKnownUrl(walletUrl)
    setStep('shown')
    await onChanged()
  }
  const name = t(`channel.${channel}`)
  return (
    <div className="contact">
      {step === 'shown' && (
        <div className="contact-row">
          <span className="contact-text">
            <small>{name}</small>
            <bdi dir="ltr">{address ?? t('contact.none')}</bdi>
          </span>
          <button
            type="button"
            aria-label={t(`contact.change.${channel}`)}
            onClick={() => setStep('editing')}
          >
            {t(address === undefined ? 'contact.add' : 'contact.replace')}
          </button>
        </div>
      )}
      {step === 'editing' && (
        <form className="fields" onSubmit={send}>
          <label>
            <span>{t(`contact.new.${channel}`)}</span>
            <input
              ref={input}
              name="address"
              type={channel === 'email' ? 'email' : 'tel'}
              autoComplete={channel === 'email' ? 'email' : 'tel'}
              maxLength={254}
              dir="ltr"
              required
            />
          </label>
          <div className="buttons">
            <button type="submit" className="main" disabled={isBusy}>
              {t('code.send')}
            </button>
            <button type="button" onClick={close}>
              {t('cancel')}
            </button>
          </div>
          <Trouble failure={failure} />
        </form>
      )}
      {typeof step === 'object' && (
        <CodeForm
          sentTo={step.given}
          confirmLabel={t('confirm.confirm')}
          onCode={confirm}
          onAgain={() => sendCode({ purpose: 'contact', channel, address: step.given }, session)}
          onCancel={close}
        />
      )}
      <output>
        {outcome && t(`contact.${outcome}`)} {knownUrl && <a href={knownUrl}>{t('contact.openKnown')}</a>}
      </output>
    </div>
  )
}
