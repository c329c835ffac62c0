/** Pages for missing, forbidden and broken content. */
import { Button } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { EmptyState } from '../empty-state.tsx'
import { IconBarrierBlock, IconLock, IconMapOff } from '../icons.ts'
import { isPartMissing } from './lazy-page.tsx'
import { NotLoaded } from './not-loaded.tsx'

export function NotFound() {
  const { t } = useTranslation('shell')
  return (
    <EmptyState isPage title={t('notFound')} icon={<IconMapOff />}>
      {t('notFoundAbout')}
    </EmptyState>
  )
}

export function NotAllowed() {
  const { t } = useTranslation('shell')
  return (
    <EmptyState isPage title={t('notAllowed')} icon={<IconLock />}>
      {t('notAllowedAbout')}
    </EmptyState>
  )
}

export function Broken({ error }: { readonly error: Error }) {
  const { t } = useTranslation('shell')
  if (isPartMissing(error)) return <NotLoaded error={error} />
  return (
    <EmptyState
      isPage
      title={t('crashed')}
      icon={<IconBarrierBlock />}
      action={<Button onClick={() => location.reload()}>{t('reload')}</Button>}
    >
      {t('crashedAbout')} ({error.message})
    </EmptyState>
  )
}
