import './details.css'
import { useCallback, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { loadTexts } from '../../i18n/languages.ts'
import { forgetCard } from '../offline.ts'
import type { WalletCard } from '../use-card.ts'
import { CodeSteps } from './code-steps.tsx'
import {
  downloadData,
  eraseData,
  type GivenCode,
  type OwnProfile,
  openSession,
  readProfile,
} from './own-api.ts'
import { ProfileForm } from './profile-form.tsx'

await loadTexts(['wallet-details'])

export type DetailsTask = 'change' | 'download' | 'erase'

interface DetailsPanelProps {
  readonly task: DetailsTask
  readonly card: WalletCard
  readonly onChanged: () => void
  readonly onClose: () => void
  readonly onErased: () => void
}

/** Opened from "Your details": each task begins with a code that goes to an address on file. */
export default function DetailsPanel({ task, card, onChanged, onClose, onErased }: DetailsPanelProps) {
  const { t } = useTranslation('wallet-details')
  const [open, setOpen] = useState<{ readonly session: string; readonly profile: OwnProfile }>()
  const [isDone, setIsDone] = useState(false)
  const close = useCallback(() => onClose(), [onClose])
  const receivers = card.contacts.filter(({ canReceive }) => canReceive)
  const merchant = card.organization.name
  const onCode = async (given: GivenCode) => {
    if (task === 'change') {
      const session = await openSession(given)
      setOpen({ session, profile: await readProfile(session) })
      return onChanged()
    }
    if (task === 'download') {
      saveFile(await downloadData(given), 'my-data.json')
      return setIsDone(true)
    }
    await eraseData(given)
    await forgetCard()
    onErased()
  }
  return (
    <div className="panel">
      <h3>{t(`${task}.title`)}</h3>
      {open ? (
        <ProfileForm {...open} card={card} onChanged={onChanged} onClose={close} />
      ) : isDone ? (
        <>
          <output>{t('download.done')}</output>
          <button type="button" onClick={close}>
            {t('close')}
          </button>
        </>
      ) : (
        <>
          <p>{t(`${task}.about`, { merchant })}</p>
          <CodeSteps
            purpose={task}
            receivers={receivers}
            confirmLabel={t(`${task}.confirm`)}
            isDangerous={task === 'erase'}
            onCode={onCode}
            onCancel={close}
          />
        </>
      )}
    </div>
  )
}

function saveFile(content: Blob, name: string): void {
  const url = URL.createObjectURL(content)
  Object.assign(document.createElement('a'), { href: url, download: name }).click()
  // The browser has to have begun to read it.
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}
