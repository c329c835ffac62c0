import { Group } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { may, useSession } from '../../api/session.ts'
import { paths } from '../../paths.ts'
import { Page } from '../../ui/page.tsx'
import { PageLink } from '../../ui/page-link.tsx'
import { Account } from './account.tsx'
import { OrganizationSettings } from './organization-settings.tsx'
import { SettingsSection } from './settings-section.tsx'

export function SettingsPage() {
  const { t } = useTranslation('settings')
  const session = useSession()
  return (
    <Page title={t('title')}>
      {may(session, 'manage') && (
        <>
          <OrganizationSettings />
          <SettingsSection title={t('passes.title')} about={t('passes.about')}>
            <Group>
              <PageLink to={paths.walletPasses()} size="sm">
                {t('passes.action')}
              </PageLink>
            </Group>
          </SettingsSection>
          <SettingsSection title={t('testMode.title')} about={t('testMode.about')}>
            <Group>
              <PageLink to={paths.testMode()} size="sm">
                {t('testMode.action')}
              </PageLink>
            </Group>
          </SettingsSection>
        </>
      )}
      <Account />
    </Page>
  )
}
