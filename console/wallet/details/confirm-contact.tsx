import './details.css'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { loadTexts } from '../../i18n/languages.ts'
import type { WalletCard } from '../use-card.ts'
import { CodeForm } from './code-steps.tsx'
import { confirmContact, sendCode } from './own-api.ts'

await loadTexts(['wallet-details'])

interface ConfirmContactProps {
  readonly card: WalletCard
  readonly onChanged: () => void
}

/** Asks for the code that went to an address which is not confirmed yet, such as after enrolling. */
export default function ConfirmContact({ card, onChanged }: ConfirmContactProps) {
  const { t } = useTranslation('wallet-details')
  const [isKnown, setIsKnown] = useState(false)
  const [claim] = card.unconfirmed
  if (isKnown) return <output className="kept">{t('confirm.known')}</output>
  if (!claim) return null
  const { channel, address } = claim
  const confirm = async (code: string) => {
    const { isAttached, walletUrl } = await confirmContact({ channel, code })
    if (walletUrl) return location.replace(walletUrl)
    if (!isAttached) setIsKnown(true)
    onChanged()
  }
  return (
    <section className="confirm" aria-label={t('confirm.title')}>
      <h2>{t('confirm.title')}</h2>
      <p>{t('confirm.about')}</p>
      <CodeForm
        sentTo={address}
        confirmLabel={t('confirm.confirm')}
        onCode={confirm}
        onAgain={() => sendCode({ purpose: 'contact', channel })}
      />
    </section>
  )
}
