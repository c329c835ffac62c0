import { useTranslation } from 'react-i18next'
import { Status, type Tone } from './status.tsx'

/** Tone of each status, by the service's names. */
const tones = {
  customer: { 1: 'good', 2: 'wrong', 3: 'over' },
  card: { 1: 'good', 2: 'wrong', 3: 'over', 4: 'over' },
  coupon: { 1: 'good', 2: 'used', 3: 'used', 4: 'over', 5: 'wrong' },
  transaction: { 1: 'good', 2: 'waiting', 3: 'wrong' },
  campaign: { draft: 'over', published: 'good', paused: 'waiting', archived: 'over' },
  person: { invited: 'waiting', active: 'good', blocked: 'wrong' },
  connection: { active: 'good', revoked: 'over' },
  delivery: { 1: 'waiting', 2: 'good', 3: 'wrong' },
  received: { 1: 'waiting', 2: 'good', 3: 'over', 4: 'wrong' },
  message: { 1: 'waiting', 2: 'waiting', 3: 'good', 4: 'wrong', 5: 'wrong', 6: 'wrong' },
} as const satisfies Record<string, Record<string, Tone>>

interface StatusBadgeProps {
  readonly of: keyof typeof tones
  readonly status: number | string
}

export function StatusBadge({ of, status }: StatusBadgeProps) {
  const { t } = useTranslation('common')
  const tone = (tones[of] as Record<string, Tone>)[status] ?? 'over'
  return <Status tone={tone}>{t(`status.${of}.${status}`, { defaultValue: String(status) })}</Status>
}

/** Filter options: the statuses the service can filter by. */
export function useStatusOptions(of: keyof typeof tones, codes: readonly number[]) {
  const { t } = useTranslation('common')
  return codes.map((code) => ({ value: String(code), label: t(`status.${of}.${code}`) }))
}

/** The status from the URL for the service, which refuses unknown ones with a message. */
export function statusCode<T extends number>(status: string | undefined): T | undefined {
  return status === undefined ? undefined : (Number(status) as T)
}
