import { useTranslation } from 'react-i18next'
import { may, useSession } from '../api/session.ts'
import { Page } from '../ui/page.tsx'
import { Account } from './settings/account.tsx'
import { OrganizationSettings } from './settings/organization-settings.tsx'

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
