import { Alert, List, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { IconInfoCircle } from '../../ui/icons.ts'
import { warningText } from '../../ui/warning-text.ts'
import type { Sale } from './lines.tsx'

/** What the till should have sent differently, with the field it is about. */
export function Warnings({ sale: { warnings = [] } }: { readonly sale: Sale }) {
  const { t } = useTranslation('transactions')
  if (warnings.length === 0) return null
  return (
    <Alert role="note" color="yellow" variant="light" icon={<IconInfoCircle />} title={t('warnings.title')}>
      <List spacing="xs" size="sm" listStyleType="none">
        {warnings.map((warning) => (
          <List.Item key={`${warning.code} ${warning.at}`}>
            <span dir="auto">{warningText(warning)}</span>
            <Text size="xs">{t('warnings.at', { field: warning.at })}</Text>
          </List.Item>
        ))}
      </List>
    </Alert>
  )
}
