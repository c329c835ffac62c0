import { useTranslation } from 'react-i18next'
import { IconCloudOff } from '../../ui/icons.ts'
import { useReached } from './reach.ts'

/** Stays in the page, so that a screen reader announces it when it is filled. */
export function OfflineBar() {
  const { t } = useTranslation('till')
  const isReached = useReached()
  return (
    <div role="status" className="till-offline">
      {!isReached && (
        <p>
          <IconCloudOff size={18} />
          <span>
            <strong>{t('offline.title')}</strong> {t('offline.about')}
          </span>
        </p>
      )}
    </div>
  )
}
