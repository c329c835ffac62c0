import { Badge } from '@mantine/core'
import { useTranslation } from 'react-i18next'

const colors = {
  customer: { 1: 'pine', 2: 'red', 3: 'gray' },
  card: { 1: 'pine', 2: 'red', 3: 'gray', 4: 'gray' },
  coupon: { 1: 'pine', 2: 'blue', 3: 'blue', 4: 'gray', 5: 'red' },
  transaction: { 1: 'pine', 2: 'orange', 3: 'red' },
} as const

interface StatusBadgeProps {
  readonly of: keyof typeof colors
  readonly status: number
}

export function StatusBadge({ of, status }: StatusBadgeProps) {
  const { t } = useTranslation('common')
  const color = (colors[of] as Record<number, string>)[status] ?? 'gray'
  return (
    <Badge variant="light" color={color}>
      {t(`status.${of}.${status}`)}
    </Badge>
  )
}

/** For a filter: the statuses the service can be asked for. */
export function useStatusOptions(of: keyof typeof colors, codes: readonly number[]) {
  const { t } = useTranslation('common')
  return codes.map((code) => ({ value: String(code), label: t(`status.${of}.${code}`) }))
}

/** As it stands in the address, for the service. What it does not know, it refuses in words. */
export function statusCode<T extends number>(status: string | undefined): T | undefined {
  return status === undefined ? undefined : (Number(status) as T)
}
