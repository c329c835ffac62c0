import { type FormEvent, useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { type Channel, type GivenCode, type Purpose, sendCode } from './own-api.ts'
import { Trouble, useAttempt } from './trouble.tsx'

interface CodeStepsProps {
  readonly purpose: Exclude<Purpose, 'contact'>
  /** The addresses that a code can go to, masked. */
  readonly receivers: readonly { readonly channel: Channel; readonly address: string }[]
  readonly confirmLabel: string
  readonly isDangerous?: boolean
  readonly onCode: (given: GivenCode) => Promise<unknown>
  readonly onCancel: () => void
}

/** First sends a code to an address on file, then asks for it. */
export function CodeSteps({
  purpose,
  receivers,
  confirmLabel,
  isDangerous,
  onCode,
  onCancel,
}: CodeStepsProps) {
  const { t } = useTranslation('wallet-details')
  const [channel, setChannel] = useState(receivers[0]!.channel)
  const [sentTo, setSentTo] = useState<string>()
  const { isBusy, failure, attempt } = useAttempt()
  const send = () => attempt(async () => setSentTo((await sendCode({ purpose, channel })).address))
  if (sentTo !== undefined) {
    return (
      <CodeForm
        sentTo={sentTo}
        confirmLabel={confirmLabel}
        isDangerous={isDangerous}
        onCode={(code) => onCode({ channel, code })}
        onAgain={() => sendCode({ purpose, channel })}
        onCancel={onCancel}
      />
    )
  }
  return (
    <form
      className="fields"
      onSubmit={(event) => {
        event.preventDefault()
        send()
      }}
    >
      <ReceiverChoice name={`channel-${purpose}`} {...{ receivers, channel }} onChange={setChannel} />
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

interface ReceiverChoiceProps extends Pick<CodeStepsProps, 'receivers'> {
  readonly name: string
  readonly channel: Channel
  readonly onChange: (channel: Channel) => void
}

function ReceiverChoice({ name, receivers, channel, onChange }: ReceiverChoiceProps) {
  const { t } = useTranslation('wallet-details')
  if (receivers.length === 1) return <p>{t('code.where', { address: receivers[0]!.address })}</p>
  return (
    <fieldset className="choices">
      <legend>{t('code.choose')}</legend>
      {receivers.map((receiver) => (
        <label key={receiver.channel} className="check">
          <input
            type="radio"
            name={name}
            checked={receiver.channel === channel}
            onChange={() => onChange(receiver.channel)}
          />
          <span>
            {t(`channel.${receiver.channel}`)} <bdi dir="ltr">{receiver.address}</bdi>
          </span>
        </label>
      ))}
    </fieldset>
  )
}

interface CodeFormProps {
  /** Masked. */
  readonly sentTo: string
  readonly confirmLabel: string
  readonly isDangerous?: boolean
  readonly onCode: (code: string) => Promise<unknown>
  readonly onAgain: () => Promise<unknown>
  readonly onCancel?: () => void
}

/** Asks for the code that was sent, or sends another one. */
export function CodeForm({ sentTo, confirmLabel, isDangerous, onCode, onAgain, onCancel }: CodeFormProps) {
  const { t } = useTranslation('wallet-details')
  const input = useRef<HTMLInputElement>(null)
  const [isSentAgain, setIsSentAgain] = useState(false)
  const { isBusy, failure, attempt } = useAttempt()
  useEffect(() => {
    // A customer who asked for a code wants to enter it; a page that asks by itself leaves the focus where it is.
    if (onCancel) input.current?.focus()
  }, [onCancel])
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const code = String(new FormData(event.currentTarget).get('code'))
    setIsSentAgain(false)
    attempt(() => onCode(code))
  }
  const again = () =>
    attempt(async () => {
      setIsSentAgain(false)
      await onAgain()
      setIsSentAgain(true)
      input.current?.focus()
    })
  return (
    <form className="fields" onSubmit={submit}>
      <label>
        <span>{t('code.enter', { address: sentTo })}</span>
        <input
          ref={input}
          name="code"
          className="code-input"
          inputMode="numeric"
          autoComplete="one-time-code"
          pattern="\s*([0-9]\s*){6}"
          title={t('code.digits')}
          maxLength={12}
          dir="ltr"
          required
        />
      </label>
      <div className="buttons">
        <button type="submit" className={isDangerous ? 'main danger' : 'main'} disabled={isBusy}>
          {confirmLabel}
        </button>
        <button type="button" disabled={isBusy} onClick={again}>
          {t('code.again')}
        </button>
        {onCancel && (
          <button type="button" onClick={onCancel}>
            {t('cancel')}
          </button>
        )}
      </div>
      <Trouble failure={failure} />
      <output>{isSentAgain && t('code.sentAgain')}</output>
    </form>
  )
}
