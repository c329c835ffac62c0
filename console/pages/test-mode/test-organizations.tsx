import { Button, Group, Stack, Text } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, dataOf, type Schemas } from '../../api/client.ts'
import { useSession } from '../../api/session.ts'
import { useVisit } from '../../api/test-clock.ts'
import { formatDateTime } from '../../i18n/format.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Failure } from '../../ui/failure.tsx'
import { FormModal } from '../../ui/form.tsx'
import { IconPlus } from '../../ui/icons.ts'
import { Page } from '../../ui/page.tsx'
import { Section } from '../../ui/section.tsx'
import { toast } from '../../ui/toast.ts'
import { Waiting } from '../../ui/waiting.tsx'
import { Credentials, type CredentialsProps } from '../developers/credentials.tsx'
import { NewTestOrganization } from './new-test-organization.tsx'

type TestOrganization = Schemas['TestOrganization']

export function TestOrganizations() {
  const { t } = useTranslation('test-mode')
  const [isCreating, setCreating] = useState(false)
  const [removed, setRemoved] = useState<TestOrganization>()
  const [shown, setShown] = useState<Omit<CredentialsProps, 'onClose'>>()
  const { data, error } = useQuery({
    queryKey: ['test-organizations'],
    queryFn: () => dataOf(api.GET('/v1/test-organizations')),
  })
  const create = (
    <Button leftSection={<IconPlus size={16} />} onClick={() => setCreating(true)}>
      {t('create.action')}
    </Button>
  )
  return (
    <Page title={t('title')} about={t('about')} actions={create}>
      {error && <Failure error={error} />}
      {!data && !error && <Waiting />}
      {data?.data.length === 0 && (
        <EmptyState title={t('empty')} action={create}>
          {t('emptyAbout')}
        </EmptyState>
      )}
      {data?.data.map((test) => (
        <Row key={test.id} test={test} onRemove={() => setRemoved(test)} />
      ))}
      {isCreating && <NewTestOrganization onClose={() => setCreating(false)} onCreated={setShown} />}
      {removed && <RemoveForm test={removed} onClose={() => setRemoved(undefined)} />}
      {shown && <Credentials {...shown} onClose={() => setShown(undefined)} />}
    </Page>
  )
}

function Row({ test, onRemove }: { readonly test: TestOrganization; readonly onRemove: () => void }) {
  const { t } = useTranslation('test-mode')
  const { timezone } = useSession().organization
  const { mutate: visit, isPending } = useVisit()
  return (
    <Section
      title={test.name}
      actions={
        <Group gap="xs">
          <Button loading={isPending} onClick={() => visit(test.id)}>
            {t('open')}
          </Button>
          <Button variant="default" onClick={onRemove}>
            {t('remove.action')}
          </Button>
        </Group>
      }
    >
      <Text size="sm" c="dimmed">
        {t('row', {
          time: formatDateTime(test.now, timezone),
          created: formatDateTime(test.createdAt, timezone),
        })}
      </Text>
    </Section>
  )
}

function RemoveForm({ test, onClose }: { readonly test: TestOrganization; readonly onClose: () => void }) {
  const { t } = useTranslation('test-mode')
  const queries = useQueryClient()
  const { mutate, isPending, error } = useMutation({
    meta: { isShownInPlace: true },
    mutationFn: () =>
      dataOf(api.DELETE('/v1/test-organizations/{id}', { params: { path: { id: test.id } } })),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ['test-organizations'] })
      toast.success(t('remove.done', { name: test.name }))
      onClose()
    },
  })
  return (
    <FormModal
      title={t('remove.title', { name: test.name })}
      isOpen
      onClose={onClose}
      onSubmit={mutate}
      isBusy={isPending}
      error={error}
      submitLabel={t('remove.action')}
      isDangerous
    >
      <Stack gap="xs">
        <Text size="sm">{t('remove.about')}</Text>
      </Stack>
    </FormModal>
  )
}
