import { Button, Card, Group, SimpleGrid, Stack, Text, TextInput, Title } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, dataOf, type Schemas } from '../../api/client.ts'
import { newIdempotencyKey } from '../../api/idempotency-key.ts'
import { useSession } from '../../api/session.ts'
import type { Definition } from '../../forms/definition.ts'
import { useSchemaTexts } from '../../forms/form-context.ts'
import { paths } from '../../paths.ts'
import { Failure } from '../../ui/failure.tsx'
import { FormModal } from '../../ui/form.tsx'
import { IconFilePlus, IconTemplate } from '../../ui/icons.ts'
import { Page } from '../../ui/page.tsx'
import { Waiting } from '../../ui/waiting.tsx'
import { DefinitionView } from './definition-view.tsx'
import { useShapes } from './queries.ts'

type Template = Pick<Schemas['CampaignTemplate'], 'title' | 'description' | 'definition'>

/** A new campaign starts as a draft, empty or from a template; everything else happens in its editor. */
export function NewCampaignPage() {
  const { t } = useTranslation(['campaigns', 'forms', 'schema-texts'])
  const text = useSchemaTexts()
  const [chosen, setChosen] = useState<Template>()
  const { data, error, refetch } = useQuery({
    queryKey: ['campaign-templates'],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: () => dataOf(api.GET('/v1/campaign-templates')),
  })
  const templates = (data ?? []).map(({ title, description, definition }) => ({
    title: text(title),
    description: text(description),
    definition,
  }))
  const empty: Template = {
    title: t('new.emptyTitle'),
    description: t('new.emptyAbout'),
    definition: { name: '', balances: [] },
  }
  return (
    <Page title={t('new.title')} about={t('new.about')} parent={{ to: paths.campaigns(), title: t('title') }}>
      {error && <Failure error={error} onRetry={refetch} />}
      {!data && !error && <Waiting />}
      <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }} spacing="md">
        {[...templates, empty].map((template) => (
          <TemplateCard
            key={template.title}
            template={template}
            isEmpty={template === empty}
            onChoose={() => setChosen(template)}
          />
        ))}
      </SimpleGrid>
      {chosen && <NameForm template={chosen} onClose={() => setChosen(undefined)} />}
    </Page>
  )
}

interface TemplateCardProps {
  readonly template: Template
  readonly isEmpty: boolean
  readonly onChoose: () => void
}

function TemplateCard({ template, isEmpty, onChoose }: TemplateCardProps) {
  const { t } = useTranslation('campaigns')
  const titleId = useId()
  const Icon = isEmpty ? IconFilePlus : IconTemplate
  return (
    <Card withBorder padding="lg" bg="var(--lw-surface)" component="section" aria-labelledby={titleId}>
      <Stack gap="sm" justify="space-between" h="100%">
        <Stack gap={6}>
          <Group gap="xs" wrap="nowrap">
            <Icon size={20} />
            <Title order={2} size="h4" id={titleId}>
              {template.title}
            </Title>
          </Group>
          <Text c="dimmed" size="sm">
            {template.description}
          </Text>
        </Stack>
        <Button variant={isEmpty ? 'default' : 'light'} onClick={onChoose} aria-describedby={titleId}>
          {isEmpty ? t('new.startEmpty') : t('new.useTemplate')}
        </Button>
      </Stack>
    </Card>
  )
}

function NameForm({ template, onClose }: { readonly template: Template; readonly onClose: () => void }) {
  const { t } = useTranslation('campaigns')
  const { currency, timezone } = useSession().organization
  const definition = template.definition as Definition
  const [name, setName] = useState(typeof definition.name === 'string' ? definition.name : '')
  const { data: shapes } = useShapes()
  const queries = useQueryClient()
  const navigate = useNavigate()
  // A retry after a lost response must not create a second campaign, but a new name is a new campaign.
  const [key, setKey] = useState(newIdempotencyKey)
  const { mutate, isPending, error } = useMutation({
    meta: { isShownInPlace: true },
    mutationFn: () =>
      dataOf(
        api.POST('/v1/campaigns', {
          params: { header: { 'idempotency-key': key } },
          body: { ...definition, name } as never,
        }),
      ),
    onSuccess: async ({ id }) => {
      await queries.invalidateQueries({ queryKey: ['campaigns'] })
      return navigate({ to: paths.campaign(id) })
    },
  })
  const hasContent = Array.isArray(definition.balances) && definition.balances.length > 0
  return (
    <FormModal
      title={template.title}
      isOpen
      onClose={onClose}
      onSubmit={mutate}
      isBusy={isPending}
      error={error}
      submitLabel={t('new.submit')}
    >
      <TextInput
        label={t('columns.name')}
        description={t('new.nameAbout')}
        value={name}
        onChange={({ currentTarget }) => {
          setName(currentTarget.value)
          setKey(newIdempotencyKey())
        }}
        required
        maxLength={200}
        data-autofocus
      />
      {hasContent && shapes && (
        <DefinitionView definition={definition} shapes={shapes} currency={currency} timeZone={timezone} />
      )}
    </FormModal>
  )
}
