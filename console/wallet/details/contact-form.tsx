import { type FormEvent, useCallback, useEffect, useRef, useState } from 'react'
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
  const [step, setStep] = useState<'shown' | 'editing' | { readonly given: string }>('shown')
  const [outcome, setOutcome] = useState<'attached' | 'known'>()
  const [knownUrl, setKnownUrl] = useState<string>()
  const close = useCallback(() => setStep('shown'), [])
  const confirm = async (code: string) => {
    const { isAttached, walletUrl } = await confirmContact({ channel, code })
    setOutcome(isAttached ? 'attached' : 'known')
    setKnownUrl(walletUrl)
    setStep('shown')
    await onChanged()
  }
  return (
    <div className="contact">
      {step === 'shown' && (
        <ContactRow channel={channel} address={address} onEdit={() => setStep('editing')} />
      )}
      {step === 'editing' && (
        <NewAddress
          channel={channel}
          onAddress={async (given) => {
            setOutcome(undefined)
            await sendCode({ purpose: 'contact', channel, address: given }, session)
            setStep({ given })
          }}
          onCancel={close}
        />
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

interface ContactRowProps extends Pick<ContactFormProps, 'channel' | 'address'> {
  readonly onEdit: () => void
}

function ContactRow({ channel, address, onEdit }: ContactRowProps) {
  const { t } = useTranslation('wallet-details')
  return (
    <div className="contact-row">
      <span className="contact-text">
        <small>{t(`channel.${channel}`)}</small>
        <bdi dir="ltr">{address ?? t('contact.none')}</bdi>
      </span>
      <button type="button" aria-label={t(`contact.change.${channel}`)} onClick={onEdit}>
        {t(address === undefined ? 'contact.add' : 'contact.replace')}
      </button>
    </div>
  )
}

interface NewAddressProps {
  readonly channel: Channel
  readonly onAddress: (address: string) => Promise<void>
  readonly onCancel: () => void
}

function NewAddress({ channel, onAddress, onCancel }: NewAddressProps) {
  const { t } = useTranslation('wallet-details')
  const input = useRef<HTMLInputElement>(null)
  const { isBusy, failure, attempt } = useAttempt()
  useEffect(() => input.current?.focus(), [])
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const given = String(new FormData(event.currentTarget).get('address'))
    attempt(() => onAddress(given))
  }
  return (
    <form className="fields" onSubmit={submit}>
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
        <button type="button" onClick={onCancel}>
          {t('cancel')}
        </button>
      </div>
      <Trouble failure={failure} />
    </form>
  )
}
