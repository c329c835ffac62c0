import { Code, Group } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { Copy } from '../../ui/copy.tsx'
import { Facts, Section } from '../parts/section.tsx'
import type { Customer } from './types.ts'

export function Profile({ customer }: { readonly customer: Customer }) {
  const { t } = useTranslation('customers')
  const { id, data, opaqueId, consents, metaData } = customer
  const hasMetaData = metaData !== undefined && Object.keys(metaData).length > 0
  return (
    <Section title={t('profile.title')}>
      <Facts
        facts={[
          { label: t('name'), value: data.fullname },
          { label: t('phone'), value: data.phone && <bdi>{data.phone}</bdi> },
          { label: t('email'), value: data.email },
          {
            label: t('profile.marketing'),
            value:
              consents?.marketing === undefined
                ? undefined
                : t(consents.marketing ? 'common:yes' : 'common:no'),
          },
          { label: t('profile.opaqueId'), value: opaqueId },
          {
            label: t('profile.id'),
            value: (
              <Group gap={4} wrap="nowrap" component="span">
                <bdi>{id}</bdi> <Copy value={id} />
              </Group>
            ),
          },
          {
            label: t('profile.metaData'),
            value: hasMetaData ? <Code block>{JSON.stringify(metaData, undefined, 2)}</Code> : undefined,
          },
        ]}
      />
    </Section>
  )
}
