import { Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { useSession } from '../../api/session.ts'
import { formatMoney } from '../../i18n/format.ts'
import type { Balance } from './balances.ts'

/** Liability in money; known only if a campaign lets points be spent. */
export function Worth({ balance, value }: { readonly balance: Balance; readonly value: number }) {
  const { t } = useTranslation('home')
  const { currency } = useSession().organization
  if (!balance.worth) return null
  const { least, most } = balance.worth
  const money = formatMoney(value * most, currency)
  return (
    <Text size="sm" c="dimmed" className="lw-tabular">
      {least === most ? t('worth', { money }) : t('worthUpTo', { money })}
    </Text>
  )
}
