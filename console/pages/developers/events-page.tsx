import { Button, Group, Modal, Stack, Table, Text } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useSession } from '../../api/session.ts'
import { eventTypes, isEventType, useEventWords } from '../../i18n/event-words.ts'
import { formatMoment } from '../../i18n/format.ts'
import { paths } from '../../paths.ts'
import { JsonBlock } from '../../ui/code-block.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Failure } from '../../ui/failure.tsx'
import { IconActivity, IconPlayerPause, IconPlayerPlay } from '../../ui/icons.ts'
import classes from '../../ui/lists/data-list.module.css'
import { FilterBar } from '../../ui/lists/filter-bar.tsx'
import { ChoiceFilter } from '../../ui/lists/filter-fields.tsx'
import { useFilters } from '../../ui/lists/filters.ts'
import { Nowrap } from '../../ui/nowrap.tsx'
import { Page } from '../../ui/page.tsx'
import { PageLink } from '../../ui/page-link.tsx'
import { Status } from '../../ui/status.tsx'
import type { LoyaltyEvent } from './follow-events.ts'
import { type LiveRow, useLiveEvents } from './use-live-events.ts'

export function EventsPage() {
  const { t } = useTranslation(['webhooks', 'developers'])
  const [filters] = useFilters()
  const type = isEventType(filters.type) ? filters.type : undefined
  const [isOn, setOn] = useState(true)
  const [opened, setOpened] = useState<LoyaltyEvent>()
  const { rows, isLost, error } = useLiveEvents(type, isOn)
  const wordsOf = useEventWords()
  return (
    <Page
      title={t('live.title')}
      about={t('live.about')}
      actions={<LiveSwitch isOn={isOn} isLost={isLost} onChange={setOn} />}
    >
      <Stack gap="sm" className={classes.list}>
        <FilterBar
          controls={
            <ChoiceFilter
              name="type"
              label={t('live.type')}
              options={eventTypes.map((value) => ({ value, label: wordsOf(value) }))}
            />
          }
          filters={{ type }}
        >
          {null}
        </FilterBar>
        {error !== undefined && <Failure error={error} />}
        <div className={`lw-surface ${classes.frame}`}>
          {rows.length === 0 ? (
            <EmptyState title={t('live.waiting')} icon={<IconActivity size={26} />}>
              {t(isOn ? 'live.waitingAbout' : 'live.waitingPaused')}
            </EmptyState>
          ) : (
            <EventTable rows={rows} onOpen={setOpened} />
          )}
        </div>
      </Stack>
      <Modal
        opened={opened !== undefined}
        onClose={() => setOpened(undefined)}
        title={opened && wordsOf(opened.type)}
        size="lg"
      >
        {opened && <JsonBlock label={t('live.details')} value={opened} />}
      </Modal>
    </Page>
  )
}

interface LiveSwitchProps {
  readonly isOn: boolean
  readonly isLost: boolean
  readonly onChange: (isOn: boolean) => void
}

function LiveSwitch({ isOn, isLost, onChange }: LiveSwitchProps) {
  const { t } = useTranslation('webhooks')
  const Toggle = isOn ? IconPlayerPause : IconPlayerPlay
  return (
    <Group gap="sm">
      <span role="status">
        <Status tone={isOn && !isLost ? 'good' : 'waiting'}>
          {t(isOn ? (isLost ? 'live.lost' : 'live.on') : 'live.off')}
        </Status>
      </span>
      <Button variant="default" leftSection={<Toggle size={16} />} onClick={() => onChange(!isOn)}>
        {t(isOn ? 'live.pause' : 'live.continue')}
      </Button>
    </Group>
  )
}

interface EventTableProps {
  readonly rows: readonly LiveRow[]
  readonly onOpen: (event: LoyaltyEvent) => void
}

function EventTable({ rows, onOpen }: EventTableProps) {
  const { t } = useTranslation('webhooks')
  return (
    <Table verticalSpacing="xs" horizontalSpacing="md" className={classes.table}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>{t('developers:time')}</Table.Th>
          <Table.Th>{t('live.what')}</Table.Th>
          <Table.Th>{t('live.subject')}</Table.Th>
          <Table.Th ta="end">{t('live.details')}</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {rows.map((row) =>
          row.type === 'gap' ? (
            <Table.Tr key={row.id}>
              <Table.Td colSpan={4}>
                <Text size="sm" c="dimmed">
                  {t('live.gap')}
                </Text>
              </Table.Td>
            </Table.Tr>
          ) : (
            <EventRow key={row.id} event={row} onOpen={() => onOpen(row)} />
          ),
        )}
      </Table.Tbody>
    </Table>
  )
}

interface EventRowProps {
  readonly event: LoyaltyEvent
  readonly onOpen: () => void
}

function EventRow({ event, onOpen }: EventRowProps) {
  const { t } = useTranslation('webhooks')
  const { timezone } = useSession().organization
  const what = useEventWords()(event.type)
  return (
    <Table.Tr>
      <Table.Td data-label={t('developers:time')}>
        <Nowrap>{formatMoment(event.timestamp, timezone)}</Nowrap>
      </Table.Td>
      <Table.Td data-label={t('live.what')}>
        <Stack gap={0} align="flex-start">
          <Text size="sm" fw={500}>
            {what}
          </Text>
          <Text size="xs" c="dimmed" dir="ltr">
            {event.type}
          </Text>
        </Stack>
      </Table.Td>
      <Table.Td data-label={t('live.subject')}>
        <Subjects event={event} />
      </Table.Td>
      <Table.Td data-label={t('live.details')} ta="end">
        <Button size="compact-sm" variant="default" aria-label={t('live.showFor', { what })} onClick={onOpen}>
          {t('live.show')}
        </Button>
      </Table.Td>
    </Table.Tr>
  )
}

/** Pages of what an event can be about, or the list that contains it. */
const places = {
  transaction: paths.transaction,
  customer: paths.customer,
  campaign: paths.campaign,
  webhook: paths.webhook,
  connection: () => paths.connections(),
} as const

/**
 * Links by ID. Names would have to be fetched one by one, and reading unusually many profiles is noted in the
 * audit log.
 */
function Subjects({ event }: { readonly event: LoyaltyEvent }) {
  const { t } = useTranslation('webhooks')
  const data: { readonly [K in keyof typeof places]?: string } & { readonly by?: object } = event.data
  const kinds = (Object.keys(places) as (keyof typeof places)[]).filter((kind) => data[kind] !== undefined)
  return (
    <Group gap="2px 12px">
      {kinds.map((kind) => (
        <PageLink key={kind} to={places[kind](data[kind]!)} size="sm">
          {t(`live.${kind}`, { id: `…${data[kind]!.slice(-8)}` })}
        </PageLink>
      ))}
    </Group>
  )
}
