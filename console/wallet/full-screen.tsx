import { type ReactNode, useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'

interface FullScreenProps {
  readonly label: string
  readonly onClose: () => void
  readonly children: ReactNode
}

/**
 * Something to hold under a scanner: bright in every theme, over the whole screen, which stays on meanwhile. It is
 * closed by its button, by Escape, and by going back, as phones do.
 */
export function FullScreen({ label, onClose, children }: FullScreenProps) {
  const { t } = useTranslation('wallet')
  const dialog = useRef<HTMLDialogElement>(null)
  const close = useRef(onClose)
  close.current = onClose
  useEffect(() => {
    dialog.current?.showModal()
    // Whatever closes it goes back, and going back closes it: the history has the entry exactly as long as it is open.
    history.pushState({ ...history.state, isFullScreen: true }, '')
    const closed = () => close.current()
    window.addEventListener('popstate', closed)
    const letSleep = keepAwake()
    return () => {
      window.removeEventListener('popstate', closed)
      if (history.state?.isFullScreen) history.back()
      letSleep()
    }
  }, [])
  return (
    <dialog ref={dialog} className="full-screen" aria-label={label} onClose={() => close.current()}>
      <div className="full-screen-content">
        {children}
        <button type="button" className="main" onClick={() => dialog.current?.close()}>
          {t('close')}
        </button>
      </div>
    </dialog>
  )
}

/** Where the browser lets a page do so; returns what ends it. */
function keepAwake(): () => void {
  const lock = navigator.wakeLock?.request('screen').catch(() => undefined)
  return () => void lock?.then((held) => held?.release())
}
