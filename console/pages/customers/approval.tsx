import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { api, dataOf } from '../../api/client.ts'
import { idempotencyHeaders } from '../../api/idempotency-key.ts'
import { formatNumber } from '../../i18n/format.ts'
import { paths } from '../../paths.ts'
import { IconCheck, IconUserQuestion } from '../../ui/icons.ts'
import { useFilters } from '../../ui/lists/filters.ts'
import { toast } from '../../ui/toast.ts'
import { useAsk } from '../../ui/use-ask.tsx'
import type { Customer } from './customer.ts'

const mostCounted = 100

/** How many wait, above the list of customers; a click lists them. */
export function WaitingHint() {
  const { t } = useTranslation('customers')
  const [{ awaitsApproval }, setFilters] = useFilters()
  const { data } = useQuery({
    queryKey: ['customers', 'waiting'],
    queryFn: () =>
      dataOf(api.GET('/v1/customers', { params: { query: { awaitsApproval: 'true', limit: mostCounted } } })),
  })
  const count = data?.data.length ?? 0
  if (count === 0 || awaitsApproval !== undefined) return null
  const shown = `${formatNumber(count)}${data?.nextCursor === undefined ? '' : '+'}`
  return (
    <Alert variant="light" color="orange" icon={<IconUserQuestion size={18} />}>
      <Group justify="space-between" gap="xs">
        <Text size="sm">{t('approval.waiting', { count, shown })}</Text>
        <Button size="xs" variant="default" onClick={() => setFilters({ awaitsApproval: 'true' })}>
          {t('approval.show')}
        </Button>
      </Group>
    </Alert>
  )
}

/** Whether somebody who enrolled alone gets the card. Nothing is shown where nothing waits. */
export function Approval({ customer }: { readonly customer: Customer }) {
  const { t } = useTranslation('customers')
  const card = customer.cards.find((each) => each.awaitsApproval && each.status === 2)
  const queries = useQueryClient()
  const decline = useDecline(customer)
  const { mutate: approve, isPending } = useMutation({
    mutationFn: () =>
      dataOf(
        api.POST('/v1/cards/{id}/unblock', {
          params: { path: { id: card!.id }, header: idempotencyHeaders() },
          body: {} as never,
        }),
      ),
    onSuccess: () => {
      toast.success(t('approval.approved'))
      return queries.invalidateQueries()
    },
  })
  if (!card) return null
  return (
    <Alert variant="light" color="orange" title={t('approval.title')}>
      <Stack gap="sm">
        <Text size="sm">{t('approval.about', { campaign: card.campaignName })}</Text>
        <Group gap="xs">
          <Button leftSection={<IconCheck size={16} />} loading={isPending} onClick={() => approve()}>
            {t('approval.approve')}
          </Button>
          {/* Declining erases the customer, who may have another card by now. */}
          {customer.cards.length === 1 && (
            <Button variant="default" onClick={decline}>
              {t('approval.decline')}
            </Button>
          )}
        </Group>
      </Stack>
    </Alert>
  )
}

function useDecline({ id }: Customer): () => void {
  const { t } = useTranslation('customers')
  const ask = useAsk()
  const navigate = useNavigate()
  const erase = async () => {
    const params = { path: { id }, header: idempotencyHeaders() }
    await dataOf(api.POST('/v1/customers/{id}/erase', { params, body: {} }))
    await navigate({ to: paths.customers() })
  }
  return () =>
    ask({
      title: t('approval.declineTitle'),
      about: t('approval.declineAbout'),
      confirm: t('approval.decline'),
      isDangerous: true,
      run: erase,
      done: t('approval.declined'),
    })
}
