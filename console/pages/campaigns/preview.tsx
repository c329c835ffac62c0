import { Alert, Box, Divider, Group, Loader, Paper, Stack, Text, Title } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { ApiError, api, dataOf } from '../../api/client.ts'
import { type Definition, itemsOf, namesIn, type Shapes } from '../../forms/definition.ts'
import { useForm } from '../../forms/form-context.ts'
import { fromWallClock } from '../../forms/local-time.ts'
import { toProblem } from '../../forms/places.ts'
import { Failure } from '../../ui/failure.tsx'
import { failureText } from '../../ui/failure-text.ts'
import { IconAlertTriangle, IconHandStop, IconPencil } from '../../ui/icons.ts'
import { Status } from '../../ui/status.tsx'
import { PreviewBasket, type TriedBasket } from './preview-basket.tsx'
import { PreviewOutcome } from './preview-outcome.tsx'
import { ProblemText } from './save-failure.tsx'

interface PreviewProps {
  readonly campaign: string
  readonly definition: Definition
  readonly shapes: Shapes
  readonly basket: TriedBasket
  readonly onBasket: (basket: TriedBasket) => void
}

/**
 * What the draft, saved or not, would do with a basket and a wallet, computed by the service on every change.
 */
export function Preview({ campaign, definition, shapes, basket, onBasket }: PreviewProps) {
  const { t } = useTranslation('campaigns')
  const { timeZone } = useForm()
  const body = JSON.stringify(toBody(definition, basket, timeZone))
  const [asked] = useDebouncedValue(body, 350)
  const { data, error, isFetching, isPlaceholderData, refetch } = useQuery({
    queryKey: ['campaigns', 'preview', campaign, asked],
    queryFn: ({ signal }) =>
      dataOf(
        api.POST('/v1/campaigns/{id}/preview', {
          params: { path: { id: campaign } },
          body: JSON.parse(asked),
          signal,
        }),
      ),
    placeholderData: keepPreviousData,
    // The result depends on the current time, so it goes stale.
    staleTime: 30_000,
    gcTime: 30_000,
  })
  const isStale = isFetching || isPlaceholderData || asked !== body
  return (
    <Paper
      className="lw-surface"
      p={{ base: 'md', sm: 'lg' }}
      component="section"
      aria-labelledby="preview-title"
    >
      <Stack gap="md">
        <div>
          <Group justify="space-between">
            <Title order={2} size="h4" id="preview-title">
              {t('preview.title')}
            </Title>
            {isStale ? (
              <Group gap={6}>
                <Loader size={12} aria-hidden />
                <Text size="xs" c="dimmed">
                  {t('preview.working')}
                </Text>
              </Group>
            ) : (
              <Status tone={error ? 'wrong' : 'good'}>
                {t(error ? 'preview.failed' : 'preview.current')}
              </Status>
            )}
          </Group>
          <Text size="sm" c="dimmed">
            {t('preview.about')}
          </Text>
        </div>
        <PreviewBasket definition={definition} basket={basket} onChange={onBasket} />
        <Divider />
        <Box aria-live="polite" aria-busy={isStale}>
          {error ? (
            <PreviewFailure error={error} shapes={shapes} onRetry={refetch} />
          ) : data ? (
            <PreviewOutcome outcome={data} definition={definition} shapes={shapes} />
          ) : (
            <Loader type="dots" />
          )}
        </Box>
      </Stack>
    </Paper>
  )
}

interface PreviewFailureProps {
  readonly error: unknown
  readonly shapes: Shapes
  readonly onRetry: () => void
}

/** Explains a failed preview: an incomplete draft, a basket that the service would refuse, or an error. */
export function PreviewFailure({ error, shapes, onRetry }: PreviewFailureProps) {
  const { t } = useTranslation('campaigns')
  const problem = toProblem(error)
  const isRefusal = error instanceof ApiError && error.status === 400
  if (problem && /^(?:items|wallet|occurredAt|branch|amount|pointsToSpend)\b/.test(problem.place)) {
    return (
      <Alert variant="default" icon={<IconAlertTriangle />} title={t('preview.badBasket')}>
        {problem.message}
      </Alert>
    )
  }
  if (problem) {
    return (
      <Alert variant="default" icon={<IconPencil />} title={t('preview.incomplete')}>
        <ProblemText problem={problem} shapes={shapes} />
      </Alert>
    )
  }
  if (isRefusal) {
    return (
      <Alert variant="default" icon={<IconHandStop />} title={t('preview.refused')}>
        {failureText(error)}
      </Alert>
    )
  }
  return <Failure error={error} onRetry={onRetry} />
}

function toBody(definition: Definition, basket: TriedBasket, timeZone: string) {
  const { lines, at, branch, balances, totals, visits, pointsToSpend } = basket
  const known = new Set(namesIn(definition, 'balances').map(({ value }) => value))
  const collectables = Object.entries(balances)
    .filter(([key, value]) => known.has(key) && value !== undefined)
    .map(([key, value]) => [key, { value, total: totals?.[key] }])
  return {
    definition,
    items: lines.map(({ product, quantity, unitPrice }) => ({
      product,
      quantity,
      unitPrice: unitPrice ?? 0,
    })),
    occurredAt: at ? fromWallClock(at, timeZone).toISOString() : undefined,
    branch,
    pointsToSpend,
    wallet: { collectables: Object.fromEntries(collectables), transactions: visits },
  }
}

/** A basket with one item that the campaign is about, so that the preview has a result. */
export function firstBasket(definition: Definition): TriedBasket {
  const named = [...itemsOf(definition, 'rules'), ...itemsOf(definition, 'rewards')]
  const product = named.flatMap(({ products }) => (Array.isArray(products) ? products.map(String) : []))[0]
  return { lines: [{ product, quantity: 1, unitPrice: 5 }], balances: {} }
}
