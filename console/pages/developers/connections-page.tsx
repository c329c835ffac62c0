import { Badge, Button, Group, Text } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, dataOf, type Schemas } from '../../api/client.ts'
import { useSession } from '../../api/session.ts'
import { formatDate, formatRelative } from '../../i18n/format.ts'
import { paths } from '../../paths.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { IconPlus } from '../../ui/icons.ts'
import { type Column, DataList } from '../../ui/lists/data-list.tsx'
import { Page } from '../../ui/page.tsx'
import { PageLink } from '../../ui/page-link.tsx'
import { StatusBadge } from '../../ui/status-badge.tsx'
import { ConnectionForm } from './connection-form.tsx'
import { Credentials, type CredentialsProps } from './credentials.tsx'
import { RevokeForm } from './revoke-form.tsx'
import { RotateForm } from './rotate-form.tsx'

type Connection = Schemas['OwnConnection']
type Shown = Omit<CredentialsProps, 'onClose'>

/** The dialog that is open over the list. */
type Opened =
  | { readonly deed: 'create' }
  | { readonly deed: 'rotate' | 'revoke'; readonly connection: Connection }

export function ConnectionsPage() {
  const { t } = useTranslation('developers')
  const [opened, setOpened] = useState<Opened>()
  const [shown, setShown] = useState<Shown>()
  const columns = useColumns(setOpened)
  const close = () => setOpened(undefined)
  const create = (
    <Button leftSection={<IconPlus size={16} />} onClick={() => setOpened({ deed: 'create' })}>
      {t('connections.create')}
    </Button>
  )
  return (
    <Page title={t('connections.title')} about={t('connections.about')} actions={create}>
      <DataList
        name="connections"
        columns={columns}
        keyOf={({ id }) => id}
        filters={{}}
        load={(query) => dataOf(api.GET('/v1/connections', { params: { query } }))}
        empty={
          <EmptyState title={t('connections.empty')} action={create}>
            {t('connections.emptyAbout')}
          </EmptyState>
        }
      />
      {opened?.deed === 'create' && <ConnectionForm onClose={close} onCreated={setShown} />}
      {opened?.deed === 'rotate' && (
        <RotateForm
          name={nameOf(opened.connection)}
          about={t('rotate.about')}
          rotate={(overlapSeconds) => rotateSecret(opened.connection, overlapSeconds)}
          onClose={close}
          onRotated={({ apiSecret }) => setShown({ name: nameOf(opened.connection), apiSecret })}
        />
      )}
      {opened?.deed === 'revoke' && <RevokeForm connection={opened.connection} onClose={close} />}
      {shown && <Credentials {...shown} onClose={() => setShown(undefined)} />}
    </Page>
  )
}

const nameOf = ({ name, id }: Connection) => name ?? id

const rotateSecret = ({ id }: Connection, overlapSeconds: number) =>
  dataOf(api.POST('/v1/connections/{id}/rotate', { params: { path: { id } }, body: { overlapSeconds } }))

function useColumns(open: (opened: Opened) => void): Column<Connection>[] {
  const { t } = useTranslation('developers')
  const { timezone } = useSession().organization
  return [
    {
      key: 'name',
      label: t('name'),
      cell: (connection) => (
        <PageLink to={paths.requests()} search={{ connection: connection.user }} size="sm">
          {nameOf(connection)}
        </PageLink>
      ),
      csv: nameOf,
    },
    {
      key: 'scopes',
      label: t('connections.scopes'),
      cell: ({ scopes }) => (
        <Group gap={4} justify="flex-start">
          {scopes.map((scope) => (
            <Badge key={scope} variant="default">
              {t(`scope.${scope}`)}
            </Badge>
          ))}
        </Group>
      ),
      csv: ({ scopes }) => scopes.join(' '),
    },
    {
      key: 'status',
      label: t('status'),
      cell: ({ status }) => <StatusBadge of="connection" status={status} />,
      csv: ({ status }) => t(`common:status.connection.${status}`),
    },
    {
      key: 'lastUsedAt',
      label: t('connections.lastUsed'),
      align: 'end',
      cell: ({ lastUsedAt }) => (lastUsedAt ? formatRelative(lastUsedAt) : t('never')),
      csv: ({ lastUsedAt }) => lastUsedAt,
    },
    {
      key: 'createdAt',
      label: t('created'),
      align: 'end',
      cell: ({ createdAt }) => formatDate(createdAt, timezone),
      csv: ({ createdAt }) => createdAt,
    },
    {
      key: 'actions',
      label: t('actions'),
      align: 'end',
      isOnlyTable: true,
      cell: (connection) =>
        connection.status === 'active' ? (
          <Group gap="xs" justify="flex-end" wrap="nowrap">
            <Button
              size="compact-sm"
              variant="default"
              aria-label={t('rotate.actionFor', { name: nameOf(connection) })}
              onClick={() => open({ deed: 'rotate', connection })}
            >
              {t('rotate.action')}
            </Button>
            <Button
              size="compact-sm"
              variant="default"
              aria-label={t('revoke.actionFor', { name: nameOf(connection) })}
              onClick={() => open({ deed: 'revoke', connection })}
            >
              {t('revoke.action')}
            </Button>
          </Group>
        ) : (
          <Text size="sm" c="dimmed">
            {t('connections.ended')}
          </Text>
        ),
    },
  ]
}
