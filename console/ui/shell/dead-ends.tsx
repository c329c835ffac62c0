/** Pages for missing, forbidden and broken content. */
import { Button } from '@mantine/core'
import { IconBarrierBlock, IconLock, IconMapOff } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { EmptyState } from '../empty-state.tsx'
import { isPartMissing } from './lazy-page.tsx'
import { NotLoaded } from './not-loaded.tsx'

export function NotFound() {
  const { t } = useTranslation('shell')
  return (
    <EmptyState isPage title={t('notFound')} icon={<IconMapOff aria-hidden />}>
      {t('notFoundAbout')}
    </EmptyState>
  )
}

export function NotAllowed() {
  const { t } = useTranslation('shell')
  return (
    <EmptyState isPage title={t('notAllowed')} icon={<IconLock aria-hidden />}>
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
      icon={<IconBarrierBlock aria-hidden />}
      action={<Button onClick={() => location.reload()}>{t('reload')}</Button>}
    >
      {t('crashedAbout')} ({error.message})
    </EmptyState>
  )
}
