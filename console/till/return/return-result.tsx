import { Button, Group, Stack, Text, Title } from '@mantine/core'
import { IconArrowBackUp } from '@tabler/icons-react'
import { useQueries } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api, dataOf } from '../../api/client.ts'
import { formatNumber } from '../../i18n/format.ts'
import type { Settled } from '../outbox/send.ts'
import { BalancesAfter } from '../sale/totals.tsx'
import { useMoney, useNames } from '../shell/till-context.ts'

interface ReturnResultProps {
  readonly settled: Extract<Settled, { kind: 'return' }>
  readonly onNext: () => void
}

/** Describes what a return gave back and took. */
export default function ReturnResult({ settled: { done, entry }, onNext }: ReturnResultProps) {
  const { t } = useTranslation('till')
  const money = useMoney()
  const texts = useTexts(done)
  return (
    <main className="till-alone" id="till-main" tabIndex={-1}>
      <Stack gap="lg" maw={520} w="100%">
        <Group gap="sm" wrap="nowrap">
          <IconArrowBackUp size={40} color="var(--mantine-primary-color-filled)" aria-hidden />
          <Title order={1} size="h2">
            {t('return.refund', { amount: money(done.refundAmount) })}
          </Title>
        </Group>
        <div className="lw-surface till-sheet">
          <Text size="sm" c="dimmed" mb="sm">
            {t('return.done', { number: done.opaqueId ?? entry.number, receipt: entry.receipt ?? '' })}
          </Text>
          <ul className="till-gains">
            {texts.map((text) => (
              <li key={text}>{text}</li>
            ))}
          </ul>
          <BalancesAfter collectables={done.executedActions.collectables} />
        </div>
        <Group>
          <Button size="lg" onClick={onNext} autoFocus>
            {t('receipt.next')}
          </Button>
        </Group>
      </Stack>
    </main>
  )
}

function useTexts(done: ReturnResultProps['settled']['done']): string[] {
  const { t } = useTranslation('till')
  const names = useNames()
  const { actions } = done.executedActions
  const ids = actions.flatMap(({ coupon }) => coupon ?? [])
  // The response contains only the ids of coupons.
  const coupons = useQueries({
    queries: ids.map((id) => ({
      queryKey: ['coupon', id],
      queryFn: () => dataOf(api.GET('/v1/coupons/{id}', { params: { path: { id } } })),
    })),
  })
  const nameOf = (id: string) => coupons.find(({ data }) => data?.id === id)?.data?.reward.name ?? id
  const texts = actions.flatMap(({ type, key, amount = 0, coupon, campaign, tier }) => {
    if (campaign && type === 'change_tier') {
      const named = { campaign: names.campaign(campaign) }
      return tier ? t('return.tierLeft', { ...named, name: names.tier(tier) }) : t('return.tierLost', named)
    }
    if (coupon && type === 'revoke_coupon') return t('return.revoked', { name: nameOf(coupon) })
    if (coupon && type === 'restore_coupon') return t('return.restored', { name: nameOf(coupon) })
    if (!key) return []
    if (type === 'expire') return t('return.expired', { change: names.change(key, -Math.abs(amount)) })
    return t('return.moved', { change: names.change(key, amount) })
  })
  return [
    ...(done.pointsRestored > 0
      ? [t('return.pointsRestored', { amount: formatNumber(done.pointsRestored) })]
      : []),
    ...texts,
  ]
}
