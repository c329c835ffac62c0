import { Button, Modal, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, dataOf, type Schemas } from '../../api/client.ts'
import { useSession } from '../../api/session.ts'
import { formatDateTime } from '../../i18n/format.ts'
import { JsonBlock } from '../../ui/code-block.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { type Column, DataList } from '../../ui/lists/data-list.tsx'
import { DayRangeFilter } from '../../ui/lists/filter-fields.tsx'
import { useFilters } from '../../ui/lists/filters.ts'
import { SearchField } from '../../ui/lists/search-field.tsx'
import { UserFilter } from '../../ui/lists/user-filter.tsx'
import { Page } from '../../ui/page.tsx'
import { Subject } from './audit-subject.tsx'

type AuditEntry = Schemas['AuditEntry']

export function AuditPage() {
  const { t } = useTranslation(['developers', 'customers'])
  const [{ q, by, from, to }] = useFilters()
  const filters = { q, by, from, to }
  const [opened, setOpened] = useState<AuditEntry>()
  return (
    <Page title={t('audit.title')} about={t('audit.about')}>
      <DataList
        name="audit"
        columns={useColumns(setOpened)}
        keyOf={({ id }) => id}
        filters={filters}
        load={(page) => dataOf(api.GET('/v1/audit', { params: { query: { ...page, ...filters } } }))}
        controls={
          <>
            <SearchField label={t('search')} placeholder={t('audit.searchAbout')} />
            <UserFilter
              name="by"
              label={t('by')}
              fixed={[{ value: 'operator', label: t('audit.operator') }]}
            />
            <DayRangeFilter />
          </>
        }
        empty={<EmptyState title={t('audit.empty')}>{t('audit.emptyAbout')}</EmptyState>}
      />
      <EntryDetails entry={opened} onClose={() => setOpened(undefined)} />
    </Page>
  )
}

/** Text of an action; falls back to its name in the API. */
function useActionText(): (action: string) => string {
  const { t } = useTranslation('developers')
  return (action) => t(`action.${action}`, { defaultValue: action })
}

function useColumns(open: (entry: AuditEntry) => void): Column<AuditEntry>[] {
  const { t } = useTranslation('developers')
  const { timezone } = useSession().organization
  const actionText = useActionText()
  const nameOf = ({ kind, name, id }: AuditEntry['by']) =>
    kind === 'operator' ? t('audit.operator') : (name ?? id)
  return [
    { key: 'at', label: t('time'), cell: ({ at }) => formatDateTime(at, timezone), csv: ({ at }) => at },
    { key: 'by', label: t('by'), cell: ({ by }) => nameOf(by), csv: ({ by }) => nameOf(by) },
    { key: 'action', label: t('audit.action'), cell: ({ action }) => actionText(action) },
    {
      key: 'subject',
      label: t('audit.subject'),
      cell: ({ subject }) => subject && <Subject subject={subject} />,
      csv: ({ subject }) => subject && `${subject.kind} ${subject.name ?? subject.id}`,
    },
    {
      key: 'details',
      label: t('audit.details'),
      align: 'end',
      cell: (entry) =>
        entry.details !== undefined && (
          <Button
            size="compact-sm"
            variant="default"
            aria-label={t('audit.detailsOf', { action: actionText(entry.action) })}
            onClick={() => open(entry)}
          >
            {t('audit.show')}
          </Button>
        ),
      csv: ({ details }) => (details === undefined ? undefined : JSON.stringify(details)),
    },
  ]
}

interface EntryDetailsProps {
  readonly entry: AuditEntry | undefined
  readonly onClose: () => void
}

function EntryDetails({ entry, onClose }: EntryDetailsProps) {
  const { t } = useTranslation('developers')
  const actionText = useActionText()
  return (
    <Modal opened={entry !== undefined} onClose={onClose} title={entry && actionText(entry.action)} size="lg">
      {entry && (
        <Stack gap="sm">
          {entry.subject && <Subject subject={entry.subject} />}
          <JsonBlock label={t('audit.details')} value={entry.details} />
          <Text size="sm" c="dimmed">
            {t('audit.redacted')} {entry.isTruncated && t('request.truncated')}
          </Text>
        </Stack>
      )}
    </Modal>
  )
}
