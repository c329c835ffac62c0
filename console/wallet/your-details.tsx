import { lazy, Suspense, useCallback, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import type { DetailsTask } from './details/details-panel.tsx'
import type { WalletCard } from './use-card.ts'

const DetailsPanel = lazy(() => import('./details/details-panel.tsx'))

interface YourDetailsProps {
  readonly task: DetailsTask | undefined
  readonly onTask: (task: DetailsTask | undefined) => void
  readonly card: WalletCard
  readonly isKept: boolean
  readonly onChanged: () => void
  readonly onErased: () => void
}

const tasks: readonly DetailsTask[] = ['change', 'download', 'erase']

/** The addresses on file, masked: anybody may have the link. To do more, a code has to come back from one of them. */
export function YourDetails({ card, isKept, task, onTask, onChanged, onErased }: YourDetailsProps) {
  const { t } = useTranslation('wallet')
  const opener = useRef<HTMLButtonElement>(null)
  const close = useCallback(() => {
    onTask(undefined)
    // After the panel is gone, the keyboard goes on where it was opened.
    requestAnimationFrame(() => opener.current?.focus())
  }, [onTask])
  // A card that this phone kept before the service listed addresses has none.
  const { contacts = [] } = card
  const canChange = contacts.some(({ canReceive }) => canReceive)
  return (
    <section className="details">
      <h2>{t('details')}</h2>
      {contacts.length === 0 && <p className="hint">{t('noAddress')}</p>}
      <ul className="rows">
        {contacts.map(({ channel, address, isVerified }) => (
          <li key={channel}>
            <span>
              <small>{t(`channel.${channel}`)}</small>
              <bdi dir="ltr">{address}</bdi>
            </span>
            <span className="mark">{t(isVerified ? 'verified' : 'notVerified')}</span>
          </li>
        ))}
      </ul>
      {isKept && <p className="hint">{t('detailsOffline')}</p>}
      {!isKept && contacts.length > 0 && !canChange && <p className="hint">{t('detailsAtTill')}</p>}
      {!isKept && canChange && !task && (
        <div className="tasks">
          {tasks.map((item) => (
            <button
              key={item}
              ref={item === 'change' ? opener : undefined}
              type="button"
              onClick={() => onTask(item)}
            >
              {t(`tasks.${item}`)}
            </button>
          ))}
        </div>
      )}
      {task && (
        <Suspense fallback={<output className="hint">{t('loading')}</output>}>
          <DetailsPanel task={task} card={card} onChanged={onChanged} onClose={close} onErased={onErased} />
        </Suspense>
      )}
    </section>
  )
}
