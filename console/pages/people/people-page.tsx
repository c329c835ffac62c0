import { Badge, Button, Group, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, dataOf, type Schemas } from '../../api/client.ts'
import { type Session, useSession } from '../../api/session.ts'
import { formatDate, formatRelative } from '../../i18n/format.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { IconUserPlus } from '../../ui/icons.ts'
import { type Column, DataList } from '../../ui/lists/data-list.tsx'
import { Page } from '../../ui/page.tsx'
import { StatusBadge } from '../../ui/status-badge.tsx'
import { InvitationLink, type Link } from './invitation-link.tsx'
import { InviteForm } from './invite-form.tsx'
import { PersonMenu } from './person-menu.tsx'

type Person = Schemas['Person']

export function PeoplePage() {
  const { t } = useTranslation('people')
  const [isInviting, setInviting] = useState(false)
  const [link, setLink] = useState<Link>()
  const columns = useColumns(useSession(), setLink)
  return (
    <Page
      title={t('title')}
      about={t('about')}
      actions={
        <Button leftSection={<IconUserPlus size={16} />} onClick={() => setInviting(true)}>
          {t('invite.action')}
        </Button>
      }
    >
      <DataList
        name="people"
        columns={columns}
        keyOf={({ id }) => id}
        filters={{}}
        load={(query) => dataOf(api.GET('/v1/people', { params: { query } }))}
        empty={<EmptyState title={t('empty')} />}
      />
      {isInviting && <InviteForm onClose={() => setInviting(false)} onInvited={setLink} />}
      {link && <InvitationLink link={link} onClose={() => setLink(undefined)} />}
    </Page>
  )
}

function useColumns({ person: self, organization }: Session, onLink: (link: Link) => void): Column<Person>[] {
  const { t } = useTranslation('people')
  return [
    {
      key: 'name',
      label: t('name'),
      cell: ({ id, name, email }) => (
        <Stack gap={0}>
          <Group gap="xs">
            <Text size="sm" fw={500}>
              {name ?? email}
            </Text>
            {id === self.id && (
              <Badge size="sm" variant="default">
                {t('you')}
              </Badge>
            )}
          </Group>
          {name && (
            <Text size="sm" c="dimmed">
              {email}
            </Text>
          )}
        </Stack>
      ),
      csv: ({ name }) => name,
    },
    { key: 'email', label: t('email'), isOnlyCsv: true, cell: ({ email }) => email },
    { key: 'role', label: t('role'), cell: ({ role }) => t(`common:role.${role}`) },
    {
      key: 'status',
      label: t('status'),
      cell: ({ status }) => <StatusBadge of="person" status={status} />,
      csv: ({ status }) => t(`common:status.person.${status}`),
    },
    {
      key: 'lastSeenAt',
      label: t('lastSeen'),
      align: 'end',
      cell: ({ lastSeenAt }) => (lastSeenAt ? formatRelative(lastSeenAt) : t('never')),
      csv: ({ lastSeenAt }) => lastSeenAt,
    },
    {
      key: 'createdAt',
      label: t('added'),
      align: 'end',
      cell: ({ createdAt }) => formatDate(createdAt, organization.timezone),
      csv: ({ createdAt }) => createdAt,
    },
    {
      key: 'actions',
      label: t('actions'),
      align: 'end',
      isOnlyTable: true,
      cell: (person) => <PersonMenu person={person} onLink={onLink} />,
    },
  ]
}
