import { useTranslation } from 'react-i18next'
import type { Channel, Contact } from './requests.ts'

export interface ContactInput {
  readonly channel: Channel
  readonly text: string
}

export const contactOf = ({ channel, text }: ContactInput): Contact =>
  channel === 'email' ? { email: text.trim() } : { phone: text.trim() }

interface ContactFieldProps {
  readonly value: ContactInput
  readonly onChange: (value: ContactInput) => void
  /** Which of them may be used; both without it. */
  readonly channels?: readonly Channel[]
  readonly problem?: string
}

/** An email address or a phone number, each with the keyboard and the suggestions of its own. */
export function ContactField({ value, onChange, channels = ['email', 'sms'], problem }: ContactFieldProps) {
  const { t } = useTranslation('enroll')
  const { channel, text } = value
  const isEmail = channel === 'email'
  return (
    <fieldset className="contact">
      <legend>{t('contact.legend')}</legend>
      {channels.length > 1 && (
        <div className="choice">
          {channels.map((each) => (
            <label key={each}>
              <input
                type="radio"
                name="channel"
                checked={each === channel}
                onChange={() => onChange({ channel: each, text: '' })}
              />
              <span>{t(`contact.${each}`)}</span>
            </label>
          ))}
        </div>
      )}
      <input
        key={channel}
        className="field"
        required
        aria-label={t(`contact.${channel}`)}
        aria-invalid={problem !== undefined}
        aria-describedby={problem === undefined ? undefined : 'problem'}
        type={isEmail ? 'email' : 'tel'}
        name={isEmail ? 'email' : 'tel'}
        autoComplete={isEmail ? 'email' : 'tel'}
        inputMode={isEmail ? 'email' : 'tel'}
        dir="ltr"
        maxLength={isEmail ? 254 : 40}
        value={text}
        onChange={({ currentTarget }) => onChange({ channel, text: currentTarget.value })}
      />
    </fieldset>
  )
}
