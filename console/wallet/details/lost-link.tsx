import './details.css'
import { type FormEvent, useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Schemas } from '../../api/client.ts'
import { loadTexts } from '../../i18n/languages.ts'
import { readCard, requestCard } from '../card-request.ts'

await loadTexts(['wallet-details'])

type Lost = Schemas['LostWallet']

/** For a link that was ours: the customer can have the new one sent. Shows nothing for any other. */
export default function LostLink() {
  const { t } = useTranslation('wallet-details')
  const [lost, setLost] = useState<Lost>()
  const [state, setState] = useState<'open' | 'sending' | 'sent' | 'failed'>('open')
  useEffect(() => {
    // A link that was never ours is not found, and shows no form.
    readCard<Lost>('link').then(setLost, () => {})
  }, [])
  if (!lost || lost.channels.length === 0) return null
  const send = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const address = String(new FormData(event.currentTarget).get('address')).trim()
    setState('sending')
    const body = address.includes('@') ? { email: address } : { phone: address }
    const isSent = await requestCard('link', { method: 'POST', body }).then(
      ({ ok }) => ok,
      () => false,
    )
    setState(isSent ? 'sent' : 'failed')
  }
  const [channel] = lost.channels
  const wanted = lost.channels.length > 1 ? 'both' : channel!
  return (
    <section className="lost" aria-labelledby="lost-title">
      <h2 id="lost-title">{t('lost.title')}</h2>
      {state === 'sent' ? (
        <output>{t('lost.sent', { merchant: lost.organization.name })}</output>
      ) : (
        <form className="fields" onSubmit={send}>
          <p>{t('lost.about', { merchant: lost.organization.name })}</p>
          <label>
            <span>{t(`lost.address.${wanted}`)}</span>
            <input
              name="address"
              type={wanted === 'both' ? 'text' : wanted === 'email' ? 'email' : 'tel'}
              inputMode={wanted === 'sms' ? 'tel' : 'email'}
              autoComplete={wanted === 'sms' ? 'tel' : 'email'}
              dir="ltr"
              maxLength={254}
              required
            />
          </label>
          <button type="submit" className="main" disabled={state === 'sending'}>
            {t('lost.send')}
          </button>
          {state === 'failed' && <p role="alert">{t('failed')}</p>}
        </form>
      )}
    </section>
  )
}
