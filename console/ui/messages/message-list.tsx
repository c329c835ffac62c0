import { Button, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, dataOf } from '../../api/client.ts'
import { useSession } from '../../api/session.ts'
import { formatDateTime, formatNumber } from '../../i18n/format.ts'
import { paths } from '../../paths.ts'
import { CustomerName } from '../customer-name.tsx'
import { EmptyState } from '../empty-state.tsx'
import { IconMail } from '../icons.ts'
import { type Column, DataList } from '../lists/data-list.tsx'
import { useFilters } from '../lists/filters.ts'
import { Nowrap } from '../nowrap.tsx'
import { PageLink } from '../page-link.tsx'
import { StatusBadge, statusCode } from '../status-badge.tsx'
import { isOver, type Message, troubleOf } from './message.ts'
import { canRetry, useRetry } from './use-retry.ts'

interface MessageListProps {
  /** Only those to this customer. */
  readonly customer?: string
  readonly controls?: ReactNode
}

/** Messages, newest first. */
export function MessageList({ customer, controls }: MessageListProps) {
  const { t } = useTranslation('messages')
  const [{ kind, status }] = useFilters()
  const name = customer === undefined ? 'messages' : `messages-${customer}`
  const follow = useFollow(name)
  return (
    <DataList<Message>
      name={name}
      columns={useColumns(customer === undefined)}
      keyOf={({ id }) => id}
      filters={{ kind, status }}
      load={async (page) => {
        const query = { ...page, customer, kind: kind as Message['kind'], status: statusOf(status) }
        const reply = await dataOf(api.GET('/v1/messages', { params: { query } }))
        follow(reply.data)
        return reply
      }}
      rowPath={({ id }) => paths.message(id)}
      controls={controls}
      empty={
        <EmptyState title={t('log.empty')} icon={<IconMail size={26} />}>
          {t(customer === undefined ? 'log.emptyAbout' : 'log.emptyCustomer')}
        </EmptyState>
      }
    />
  )
}

const statusOf = statusCode<1 | 2 | 3 | 4 | 5 | 6>

const refreshMs = 2_000
const soonMs = 60_000

const isUnderWay = (message: Message): boolean =>
  !isOver(message) &&
  (message.nextAttemptAt === undefined || Date.parse(message.nextAttemptAt) - Date.now() < soonMs)

/** Reloads the list while one of its messages is about to be sent and the page is visible. */
function useFollow(name: string): (messages: readonly Message[]) => void {
  const queries = useQueryClient()
  const [isMoving, setMoving] = useState(false)
  useEffect(() => {
    if (!isMoving) return
    const timer = setInterval(() => {
      if (!document.hidden) queries.invalidateQueries({ queryKey: [name, 'list'] })
    }, refreshMs)
    return () => clearInterval(timer)
  }, [isMoving, name, queries])
  return (messages) => setMoving(messages.some(isUnderWay))
}

function useColumns(hasCustomer: boolean): Column<Message>[] {
  const { t } = useTranslation('messages')
  const { timezone } = useSession().organization
  const to: Column<Message> = {
    key: 'customer',
    label: t('log.to'),
    cell: (message) => <Recipient message={message} />,
    csv: ({ customer, person }) => customer ?? person,
  }
  return [
    {
      key: 'createdAt',
      label: t('log.time'),
      cell: ({ createdAt }) => <Nowrap>{formatDateTime(createdAt, timezone)}</Nowrap>,
      csv: ({ createdAt }) => createdAt,
    },
    {
      key: 'kind',
      label: t('log.message'),
      cell: ({ id, kind }) => (
        <PageLink to={paths.message(id)} size="sm">
          {t(`kind.${kind}.name`)}
        </PageLink>
      ),
      csv: ({ kind }) => t(`kind.${kind}.name`),
    },
    ...(hasCustomer ? [to] : []),
    { key: 'channel', label: t('log.channel'), cell: ({ channel }) => t(`channel.${channel}`) },
    {
      key: 'status',
      label: t('log.status'),
      cell: (message) => <State message={message} />,
      csv: ({ status }) => t(`common:status.message.${status}`),
    },
    {
      key: 'attempts',
      label: t('log.attempts'),
      align: 'end',
      cell: ({ attempts }) => formatNumber(attempts.length),
      csv: ({ attempts }) => attempts.length,
    },
    { key: 'trouble', label: t('log.why'), isOnlyCsv: true, cell: troubleOf },
    { key: 'clickedAt', label: t('log.clicked'), isOnlyCsv: true, cell: ({ clickedAt }) => clickedAt },
    {
      key: 'actions',
      label: t('log.actions'),
      align: 'end',
      isOnlyTable: true,
      cell: (message) => canRetry(message) && <RetryButton message={message} />,
    },
    { key: 'id', label: t('log.id'), isOnlyCsv: true, cell: ({ id }) => id },
  ]
}

/** Whom it is for; the address itself is not kept. */
export function Recipient({ message: { customer, person } }: { readonly message: Message }) {
  const { t } = useTranslation('messages')
  if (customer !== undefined) return <CustomerName id={customer} />
  return (
    <Text span size="sm" c="dimmed">
      {t(person === undefined ? 'log.toTest' : 'log.toPerson')}
    </Text>
  )
}

/** What became of it, and why it was not sent. */
function State({ message }: { readonly message: Message }) {
  const { t } = useTranslation('messages')
  const { status, clickedAt, attempts } = message
  const note = status === 3 ? clickedAt && t('log.opened') : attempts.length > 0 && troubleOf(message)
  return (
    <div>
      <StatusBadge of="message" status={status} />
      {note && (
        <Text size="xs" c="dimmed" maw={280} lineClamp={2} dir="auto">
          {note}
        </Text>
      )}
    </div>
  )
}

function RetryButton({ message }: { readonly message: Message }) {
  const { t } = useTranslation('messages')
  const { retry, isRetrying } = useRetry()
  return (
    <Button
      size="compact-sm"
      variant="default"
      loading={isRetrying}
      aria-label={t('retry.of', { message: t(`kind.${message.kind}.name`) })}
      onClick={() => retry(message)}
    >
      {t('retry.action')}
    </Button>
  )
}
