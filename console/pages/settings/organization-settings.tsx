import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api, dataOf } from '../../api/client.ts'
import { Failure } from '../../ui/failure.tsx'
import { Waiting } from '../../ui/waiting.tsx'
import { ContactForm } from './contact-form.tsx'
import { OrganizationForm } from './organization-form.tsx'
import { SettingsSection } from './settings-section.tsx'

export function OrganizationSettings() {
  const { t } = useTranslation('settings')
  const { data, error, refetch } = useQuery({
    queryKey: ['organization'],
    queryFn: () => dataOf(api.GET('/v1/organization')),
  })
  return (
    <>
      <SettingsSection title={t('organization.title')} about={t('organization.about')}>
        {error ? (
          <Failure error={error} onRetry={refetch} />
        ) : data ? (
          <OrganizationForm organization={data} />
        ) : (
          <Waiting />
        )}
      </SettingsSection>
      {data && (
        <SettingsSection title={t('contact.title')} about={t('contact.about')}>
          <ContactForm organization={data} />
        </SettingsSection>
      )}
    </>
  )
}
