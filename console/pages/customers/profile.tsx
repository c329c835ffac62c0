import { Group } from '@mantine/core'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { languages } from '../../i18n/languages.ts'
import { Facts, IdText, metaDataText, Section } from '../../ui/section.tsx'
import { Status } from '../../ui/status.tsx'
import { useConsentFacts } from './consents.tsx'
import type { Customer } from './customer.ts'

export function Profile({ customer }: { readonly customer: Customer }) {
  const { t } = useTranslation('customers')
  const { id, data, opaqueId, metaData, language, verified, bounced } = customer
  const consentFacts = useConsentFacts(customer)
  return (
    <Section title={t('profile.title')}>
      <Facts
        facts={[
          { label: t('name'), value: data.fullname },
          {
            label: t('phone'),
            value: data.phone && (
              <Address isVerified={verified.phone} hasBounced={bounced.phone}>
                {data.phone}
              </Address>
            ),
          },
          {
            label: t('email'),
            value: data.email && (
              <Address isVerified={verified.email} hasBounced={bounced.email}>
                {data.email}
              </Address>
            ),
          },
          { label: t('language'), value: language && languages[language].name },
          ...consentFacts,
          { label: t('profile.opaqueId'), value: opaqueId },
          { label: t('profile.id'), value: <IdText id={id} /> },
          { label: t('profile.metaData'), value: metaDataText(metaData) },
        ]}
      />
    </Section>
  )
}

interface AddressProps {
  readonly isVerified: boolean
  readonly hasBounced: boolean
  readonly children: ReactNode
}

/** With a mark if a code that was sent there came back, or a message did. */
function Address({ isVerified, hasBounced, children }: AddressProps) {
  const { t } = useTranslation('customers')
  return (
    <Group gap="xs" component="span">
      <bdi>{children}</bdi>
      {isVerified && !hasBounced && <Status tone="good">{t('verified')}</Status>}
      {hasBounced && <Status tone="wrong">{t('bounced')}</Status>}
    </Group>
  )
}
