import { Button, Group, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, dataOf } from '../../api/client.ts'
import { useSession } from '../../api/session.ts'
import { useEventWords } from '../../i18n/event-words.ts'
import { formatDate } from '../../i18n/format.ts'
import { paths } from '../../paths.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { IconPlus } from '../../ui/icons.ts'
import { type Column, DataList } from '../../ui/lists/data-list.tsx'
import { Page } from '../../ui/page.tsx'
import { PageLink } from '../../ui/page-link.tsx'
import { ShownSecret } from '../../ui/shown-once.tsx'
import { nameOf, stateOf, type Webhook } from './webhook.ts'
import { WebhookForm } from './webhook-form.tsx'
import { WebhookMenu } from './webhook-menu.tsx'
import { ResumeButton, WebhookState } from './webhook-state.tsx'

export function WebhooksPage() {
  const { t } = useTranslation(['webhooks', 'developers'])
  const [isAdding, setAdding] = useState(false)
  const [secret, setSecret] = useState<string>()
  const add = (
    <Button leftSection={<IconPlus size={16} />} onClick={() => setAdding(true)}>
      {t('add')}
    </Button>
  )
  return (
    <Page title={t('title')} about={t('about')} actions={add}>
      <DataList
        name="webhooks"
        columns={useColumns()}
        keyOf={({ id }) => id}
        filters={{}}
        load={(query) => dataOf(api.GET('/v1/webhooks', { params: { query } }))}
        empty={
          <EmptyState title={t('empty')} action={add}>
            {t('emptyAbout')}
          </EmptyState>
        }
      />
      {isAdding && <WebhookForm onClose={() => setAdding(false)} onAdded={setSecret} />}
      {secret && <ShownSecret namespace="webhooks" secret={secret} onClose={() => setSecret(undefined)} />}
    </Page>
  )
}

/** One or two types by name, more by their number. */
function useTypesText(): (types: Webhook['types']) => string {
  const { t } = useTranslation('webhooks')
  const wordsOf = useEventWords()
  return (types) => {
    if (types === undefined) return t('allEvents')
    return types.length > 2 ? t('someEvents', { count: types.length }) : types.map(wordsOf).join(', ')
  }
}

function Address({ webhook: { id, url, description } }: { readonly webhook: Webhook }) {
  return (
    <Stack gap={0} align="flex-start">
      <PageLink to={paths.webhook(id)} size="sm" style={{ overflowWrap: 'anywhere' }}>
        <bdi>{url}</bdi>
      </PageLink>
      {description && (
        <Text size="sm" c="dimmed">
          <bdi>{description}</bdi>
        </Text>
      )}
    </Stack>
  )
}

function useColumns(): Column<Webhook>[] {
  const { t } = useTranslation('webhooks')
  const { timezone } = useSession().organization
  const typesText = useTypesText()
  return [
    {
      key: 'url',
      label: t('address'),
      cell: (webhook) => <Address webhook={webhook} />,
      csv: ({ url }) => url,
    },
    {
      key: 'description',
      label: t('form.description'),
      isOnlyCsv: true,
      cell: ({ description }) => description,
    },
    {
      key: 'types',
      label: t('events'),
      cell: ({ types }) => typesText(types),
      csv: ({ types }) => types?.join(' ') ?? t('allEvents'),
    },
    {
      key: 'status',
      label: t('developers:status'),
      cell: (webhook) => <WebhookState webhook={webhook} />,
      csv: (webhook) => t(`state.${stateOf(webhook)}`),
    },
    {
      key: 'createdAt',
      label: t('developers:created'),
      align: 'end',
      cell: ({ createdAt }) => formatDate(createdAt, timezone),
      csv: ({ createdAt }) => createdAt,
    },
    {
      key: 'actions',
      label: t('developers:actions'),
      align: 'end',
      isOnlyTable: true,
      cell: (webhook) => (
        <Group gap="xs" justify="flex-end" wrap="nowrap">
          {webhook.status === 'paused' && (
            <ResumeButton webhook={webhook} label={t('resumeFor', { name: nameOf(webhook) })} />
          )}
          <WebhookMenu webhook={webhook} />
        </Group>
      ),
    },
  ]
}
