import { Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { lazyPanel } from '../shell/lazy-panel.tsx'

const QrCode = lazyPanel(() => import('./qr-code.tsx'), { isKept: false })

interface WalletCodeProps {
  /** The wallet page. It is the only credential of the card, so it is drawn and never written out. */
  readonly url: string
  /** Whether the screen has the title elsewhere. */
  readonly isTitled?: boolean
}

/** The card for the customer's phone: on the screen, and on paper. */
export function WalletCode({ url, isTitled = false }: WalletCodeProps) {
  const { t } = useTranslation('till')
  return (
    <figure className="till-code">
      <div className="till-qr-place">
        <QrCode text={url} label={t('wallet.code')} />
      </div>
      <figcaption>
        <Text fw={600} className={isTitled ? 'till-paper-only' : undefined}>
          {t('wallet.title')}
        </Text>
        <Text span size="sm" c="dimmed">
          {t('wallet.about')}
        </Text>
      </figcaption>
    </figure>
  )
}
