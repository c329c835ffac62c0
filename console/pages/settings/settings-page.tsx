import { useTranslation } from 'react-i18next'
import { may, useSession } from '../../api/session.ts'
import { Page } from '../../ui/page.tsx'
import { Account } from './account.tsx'
import { OrganizationSettings } from './organization-settings.tsx'

export function SettingsPage() {
  const { t } = useTranslation('settings')
  const session = useSession()
  return (
    <Page title={t('title')}>
      {may(session, 'manage') && <OrganizationSettings />}
      <Account />
    </Page>
  )
}
