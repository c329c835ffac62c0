import { useTranslation } from 'react-i18next'
import { Facts, IdText, metaDataText, Section } from '../../ui/section.tsx'
import { useConsentFacts } from './consents.tsx'
import type { Customer } from './customer.ts'

export function Profile({ customer }: { readonly customer: Customer }) {
  const { t } = useTranslation('customers')
  const { id, data, opaqueId, metaData } = customer
  const consentFacts = useConsentFacts(customer)
  return (
    <Section title={t('profile.title')}>
      <Facts
        facts={[
          { label: t('name'), value: data.fullname },
          { label: t('phone'), value: data.phone && <bdi>{data.phone}</bdi> },
          { label: t('email'), value: data.email },
          ...consentFacts,
          { label: t('profile.opaqueId'), value: opaqueId },
          { label: t('profile.id'), value: <IdText id={id} /> },
          { label: t('profile.metaData'), value: metaDataText(metaData) },
        ]}
      />
    </Section>
  )
}
