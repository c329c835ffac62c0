import { Alert, Anchor, Button, Grid, Group, Text, Textarea } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { paths } from '../../paths.ts'
import { AskBeforeLeaving } from '../../ui/ask-before-leaving.tsx'
import { Failure } from '../../ui/failure.tsx'
import { IconAlertTriangle } from '../../ui/icons.ts'
import { useFilters } from '../../ui/lists/filters.ts'
import { Page } from '../../ui/page.tsx'
import { Section } from '../../ui/section.tsx'
import { PageFailure } from '../../ui/shell/page-failure.tsx'
import { toast } from '../../ui/toast.ts'
import { Waiting } from '../../ui/waiting.tsx'
import { exampleMapping, examplePayload } from './example.ts'
import { getReceived, listReceived, patchSource, type Source } from './requests.ts'
import { sourceQuery } from './source.ts'
import { TryIt } from './try-it.tsx'

/** The payload to try a mapping with: the one that was asked for, or the last that came in, or the example. */
async function payloadFor(source: string, received: string | undefined): Promise<unknown> {
  const id = received ?? (await listReceived(source, { limit: 1 })).data[0]?.id
  const { payload } = id === undefined ? {} : await getReceived(id)
  return payload ?? examplePayload
}

export function MappingPage() {
  const { t } = useTranslation(['sources', 'transactions', 'schema-texts'])
  const { id } = useParams({ strict: false }) as { id: string }
  const [{ received }] = useFilters()
  const source = useQuery(sourceQuery(id))
  const payload = useQuery({
    queryKey: ['sources', 'payload', id, received],
    queryFn: () => payloadFor(id, received),
    // What is being tried is not replaced while somebody works with it.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  })
  const parent = { to: paths.source(id), title: source.data?.name ?? t('one') }
  const error = source.error ?? payload.error
  if (error) {
    const retry = () => Promise.all([source.refetch(), payload.refetch()])
    return <PageFailure error={error} onRetry={retry} title={t('mapping.title')} parent={parent} />
  }
  if (!source.data || !payload.data) return <Waiting />
  return (
    <Page
      title={t('mapping.title')}
      parent={parent}
      about={
        <>
          {t('mapping.about')}{' '}
          <Anchor
            href="https://docs.jsonata.org/overview"
            target="_blank"
            rel="noreferrer"
            size="sm"
            underline="always"
          >
            {t('mapping.language')}
          </Anchor>
        </>
      }
    >
      <Editor key={`${id} ${received}`} source={source.data} payload={payload.data} />
    </Page>
  )
}

interface EditorProps {
  readonly source: Source
  readonly payload: unknown
}

function Editor({ source, payload }: EditorProps) {
  const saved = source.mapping ?? exampleMapping
  const [mapping, setMapping] = useState(saved)
  const [text, setText] = useState(() => JSON.stringify(payload, null, 2))
  const isDirty = mapping !== saved
  return (
    <Grid gap="lg">
      <Grid.Col span={{ base: 12, lg: 6 }}>
        <MappingField source={source} mapping={mapping} onChange={setMapping} isDirty={isDirty} />
      </Grid.Col>
      <Grid.Col span={{ base: 12, lg: 6 }}>
        <TryIt source={source.id} mapping={mapping} text={text} onText={setText} />
      </Grid.Col>
      <AskBeforeLeaving isDirty={isDirty} />
    </Grid>
  )
}

interface MappingFieldProps {
  readonly source: Source
  readonly mapping: string
  readonly onChange: (mapping: string) => void
  readonly isDirty: boolean
}

function MappingField({ source, mapping, onChange, isDirty }: MappingFieldProps) {
  const { t } = useTranslation('sources')
  const queries = useQueryClient()
  const { mutate, isPending, error } = useMutation({
    meta: { isShownInPlace: true },
    mutationFn: () => patchSource(source.id, { mapping }),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ['sources', 'one'] })
      toast.success(t('common:saved'))
    },
  })
  return (
    <Section
      title={t('mapping.field')}
      actions={
        <>
          {mapping !== exampleMapping && (
            <Button variant="subtle" size="compact-sm" onClick={() => onChange(exampleMapping)}>
              {t('mapping.example')}
            </Button>
          )}
          <Button onClick={() => mutate()} loading={isPending} disabled={!isDirty}>
            {t('common:save')}
          </Button>
        </>
      }
    >
      {error && <Failure error={error} />}
      {isDirty && (
        <Group gap={6} wrap="nowrap">
          <IconAlertTriangle size={16} />
          <Text size="sm">{t('mapping.unsaved')}</Text>
        </Group>
      )}
      <Textarea
        aria-label={t('mapping.field')}
        value={mapping}
        onChange={({ currentTarget: { value } }) => onChange(value)}
        autosize
        minRows={16}
        maxRows={40}
        maxLength={20_000}
        spellCheck={false}
        dir="ltr"
        styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: 13 } }}
      />
      <Alert variant="default" p="sm">
        <Text size="sm">{t('mapping.shape')}</Text>
      </Alert>
    </Section>
  )
}
