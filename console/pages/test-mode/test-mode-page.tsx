import { useTranslation } from 'react-i18next'
import { useSession } from '../../api/session.ts'
import { isTest } from '../../api/test-clock.ts'
import { Page } from '../../ui/page.tsx'
import { TestClock } from './test-clock.tsx'
import { TestOrganizations } from './test-organizations.tsx'

/** In a live organization its test organizations, and in one of these the clock. */
export function TestModePage() {
  const { t } = useTranslation(['test-mode', 'developers', 'webhooks'])
  const session = useSession()
  if (!isTest(session)) return <TestOrganizations />
  return (
    <Page title={t('clock.title')} about={t('clock.about')}>
      <TestClock />
    </Page>
  )
}
