import { Button, Group, Skeleton, Stack, Text, Timeline } from '@mantine/core'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api, dataOf } from '../../api/client.ts'
import { useSession } from '../../api/session.ts'
import { formatDateTime } from '../../i18n/format.ts'
import { paths } from '../../paths.ts'
import { Failure } from '../../ui/failure.tsx'
import {
  IconArrowBackUp,
  IconCreditCard,
  IconFileImport,
  IconHourglassEmpty,
  IconPlusMinus,
  IconShoppingBag,
  IconTicket,
  IconTicketOff,
  IconUserPlus,
} from '../../ui/icons.ts'
import { PageLink } from '../../ui/page-link.tsx'
import { composeTimeline, heldBackBy, type TimelineEvent } from './compose-timeline.ts'
import type { Customer } from './customer.ts'
import { allCoupons } from './customer-coupons.tsx'
import { useEventWords } from './event-words.ts'

const limit = 25

const icons = {
  visit: IconShoppingBag,
  return: IconArrowBackUp,
  returnBooked: IconArrowBackUp,
  adjust: IconPlusMinus,
  opening: IconFileImport,
  expire: IconHourglassEmpty,
  issued: IconTicket,
  couponExpired: IconTicketOff,
  couponRevoked: IconTicketOff,
  card: IconCreditCard,
  registered: IconUserPlus,
} as const

export function CustomerTimeline({ customer }: { readonly customer: Customer }) {
  const { t } = useTranslation('customers')
  const { id } = customer
  const sales = useInfiniteQuery({
    queryKey: ['transactions', 'of', id],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam: cursor }) =>
      dataOf(
        api.GET('/v1/customers/{id}/transactions', { params: { path: { id }, query: { cursor, limit } } }),
      ),
    getNextPageParam: ({ nextCursor }) => nextCursor,
  })
  const entries = useInfiniteQuery({
    queryKey: ['ledger', 'of', id],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam: cursor }) =>
      dataOf(api.GET('/v1/customers/{id}/ledger', { params: { path: { id }, query: { cursor, limit } } })),
    getNextPageParam: ({ nextCursor }) => nextCursor,
  })
  const coupons = useQuery({ queryKey: ['coupons', 'of', id], queryFn: () => allCoupons(id) })
  const error = sales.error ?? entries.error ?? coupons.error
  if (error) return <Failure error={error} />
  if (!sales.data || !entries.data || !coupons.data) return <Skeleton h={240} />

  const transactions = { rows: sales.data.pages.flatMap(({ data }) => data), hasMore: sales.hasNextPage }
  const ledger = { rows: entries.data.pages.flatMap(({ data }) => data), hasMore: entries.hasNextPage }
  const events = composeTimeline({ customer, transactions, ledger, coupons: coupons.data })
  const showOlder = () => {
    const wanted = heldBackBy({ transactions, ledger })
    if (wanted.transactions) sales.fetchNextPage()
    if (wanted.ledger) entries.fetchNextPage()
  }
  return (
    <Stack p="lg" gap="lg" className="lw-surface">
      {transactions.rows.length > 0 && (
        <Group justify="flex-end">
          <PageLink to={paths.transactions()} search={{ customer: id }} size="sm">
            {t('timeline.allTransactions')}
          </PageLink>
        </Group>
      )}
      <Timeline bulletSize={30} lineWidth={2}>
        {events.map((event) => {
          const Icon = icons[event.kind]
          return (
            <Timeline.Item key={event.id} bullet={<Icon size={16} />} title={<Title event={event} />}>
              <Details event={event} />
            </Timeline.Item>
          )
        })}
      </Timeline>
      {(transactions.hasMore || ledger.hasMore) && (
        <Group justify="center">
          <Button
            variant="default"
            onClick={showOlder}
            loading={sales.isFetchingNextPage || entries.isFetchingNextPage}
          >
            {t('timeline.older')}
          </Button>
        </Group>
      )}
    </Stack>
  )
}

function Title({ event }: { readonly event: TimelineEvent }) {
  const { titleOf } = useEventWords()
  const title = titleOf(event)
  const sale = event.kind === 'visit' ? event.sale.id : 'transaction' in event ? event.transaction : undefined
  return sale ? (
    <PageLink to={paths.transaction(sale)} c="inherit" fw={550}>
      {title}
    </PageLink>
  ) : (
    <Text fw={550}>{title}</Text>
  )
}

function Details({ event }: { readonly event: TimelineEvent }) {
  const { detailsOf } = useEventWords()
  const { timezone } = useSession().organization
  return (
    <>
      {detailsOf(event).map((text) => (
        <Text size="sm" key={text}>
          {text}
        </Text>
      ))}
      <Text size="xs" c="dimmed" mt={2}>
        {formatDateTime(event.at, timezone)}
      </Text>
    </>
  )
}
