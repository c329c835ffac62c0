import { Button, Group, SimpleGrid, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useSession } from '../../api/session.ts'
import { type Program, useProgram } from '../../i18n/campaign-names.ts'
import { formatDate } from '../../i18n/format.ts'
import { IconPlusMinus } from '../../ui/icons.ts'
import { AdjustForm } from './adjust-form.tsx'
import type { Customer } from './customer.ts'

/** Number of upcoming expiry days that are listed; the others are only counted. */
const mostDays = 3

export function Balances({ customer }: { readonly customer: Customer }) {
  const { t } = useTranslation('customers')
  const program = useProgram()
  const [adjusted, setAdjusted] = useState<string>()
  const keys = Object.keys(customer.collectables)
  if (keys.length === 0) {
    return (
      <Text c="dimmed" size="sm">
        {t('balance.none')}
      </Text>
    )
  }
  return (
    <>
      <SimpleGrid
        component="section"
        aria-label={t('balance.title')}
        cols={{ base: 1, xs: 2, md: 3 }}
        spacing="md"
      >
        {keys.map((key) => (
          <Balance
            key={key}
            balance={key}
            customer={customer}
            program={program}
            onAdjust={() => setAdjusted(key)}
          />
        ))}
      </SimpleGrid>
      <AdjustForm customer={customer} balance={adjusted} onClose={() => setAdjusted(undefined)} />
    </>
  )
}

interface BalanceProps {
  readonly balance: string
  readonly customer: Customer
  readonly program: Program
  readonly onAdjust: () => void
}

function Balance({ balance, customer, program, onAdjust }: BalanceProps) {
  const { t } = useTranslation('customers')
  const { value, total } = customer.collectables[balance]!
  return (
    <Stack gap={6} p="lg" className="lw-surface">
      <Group justify="space-between" align="flex-start">
        <div>
          <Text size="sm" c="dimmed">
            {program.balanceName(balance)}
          </Text>
          <Text fz={30} lh={1.2} fw={650} className="lw-tabular lw-number">
            {program.number(balance, value)}
          </Text>
        </div>
        <Button
          variant="default"
          size="xs"
          leftSection={<IconPlusMinus size={14} />}
          onClick={onAdjust}
          aria-label={`${t('balance.adjust')}: ${program.balanceName(balance)}`}
        >
          {t('balance.adjust')}
        </Button>
      </Group>
      <Text size="sm" c="dimmed">
        {t('balance.total', { amount: program.number(balance, total) })}
      </Text>
      <Expiry balance={balance} customer={customer} program={program} />
    </Stack>
  )
}

function Expiry({ balance, customer, program }: Omit<BalanceProps, 'onAdjust'>) {
  const { t } = useTranslation('customers')
  const { timezone } = useSession().organization
  // Each collected amount expires separately, but readers think in days.
  const byDay = new Map<string, number>()
  for (const { key, at, amount } of customer.expiring) {
    const day = formatDate(at, timezone)
    if (key === balance) byDay.set(day, (byDay.get(day) ?? 0) + amount)
  }
  const dates = [...byDay]
  const shown = dates.slice(0, mostDays)
  if (dates.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        {t('balance.noExpiry')}
      </Text>
    )
  }
  return (
    <div>
      {shown.map(([date, amount]) => (
        <Text size="sm" key={date}>
          {t('balance.expires', { amount: program.number(balance, amount), date })}
        </Text>
      ))}
      {dates.length > shown.length && (
        <Text size="sm" c="dimmed">
          {t('balance.more', { count: dates.length - shown.length })}
        </Text>
      )}
    </div>
  )
}
