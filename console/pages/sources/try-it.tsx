import { Box, Divider, Group, List, Loader, Stack, Text, Textarea, ThemeIcon, Title } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import type { Action } from '../../api/action.ts'
import type { Schemas } from '../../api/client.ts'
import { useSession } from '../../api/session.ts'
import { actionWords } from '../../i18n/action-words.ts'
import { useProgram } from '../../i18n/campaign-names.ts'
import { formatMoney } from '../../i18n/format.ts'
import { useRuleNamesOf } from '../../i18n/rule-names.ts'
import { JsonBlock } from '../../ui/code-block.tsx'
import { Failure } from '../../ui/failure.tsx'
import { IconPlus, IconTicket } from '../../ui/icons.ts'
import { Section } from '../../ui/section.tsx'
import { Status } from '../../ui/status.tsx'
import { MadeSummary } from './made-summary.tsx'
import { ProblemNote } from './problem.tsx'
import { type Tried, trySource } from './requests.ts'

interface TryItProps {
  readonly source: string
  /** The mapping, saved or not. */
  readonly mapping: string
  /** The payload, as JSON. */
  readonly text: string
  readonly onText: (text: string) => void
}

/** What the mapping makes of a payload, computed by the service on every change. Nothing is recorded. */
export function TryIt({ source, mapping, text, onText }: TryItProps) {
  const { t } = useTranslation('sources')
  const isBroken = !isJson(text)
  const [asked] = useDebouncedValue(JSON.stringify({ mapping, text }), 400)
  const { data, error, isFetching, isPlaceholderData, refetch } = useQuery({
    queryKey: ['sources', 'try', source, asked],
    queryFn: ({ signal }) => {
      const given = JSON.parse(asked) as { mapping: string; text: string }
      return trySource(source, { mapping: given.mapping, payload: JSON.parse(given.text) }, signal)
    },
    enabled: isJson((JSON.parse(asked) as { text: string }).text),
    placeholderData: keepPreviousData,
    retry: false,
    // The result depends on the customer's balances, so it goes stale.
    staleTime: 30_000,
    gcTime: 30_000,
  })
  const isStale =
    !isBroken && (isFetching || isPlaceholderData || asked !== JSON.stringify({ mapping, text }))
  return (
    <Section
      title={t('try.title')}
      actions={
        isStale ? (
          <Group gap={6}>
            <Loader size={12} aria-hidden />
            <Text size="xs" c="dimmed">
              {t('try.working')}
            </Text>
          </Group>
        ) : (
          !isBroken && !error && data && <Verdict tried={data} />
        )
      }
    >
      <Text size="sm" c="dimmed">
        {t('try.about')}
      </Text>
      <Textarea
        label={t('try.payload')}
        value={text}
        onChange={({ currentTarget: { value } }) => onText(value)}
        error={isBroken && t('try.notJson')}
        autosize
        minRows={8}
        maxRows={18}
        spellCheck={false}
        dir="ltr"
        styles={{
          input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: 13 },
          label: { direction: 'inherit' },
        }}
      />
      <Divider />
      <Box aria-live="polite" aria-busy={isStale}>
        {error ? <Failure error={error} onRetry={refetch} /> : data && !isBroken && <Outcome tried={data} />}
      </Box>
    </Section>
  )
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** The result in two words, beside the heading. */
function Verdict({ tried: { made, problem } }: { readonly tried: Tried }) {
  const { t } = useTranslation('sources')
  if (made?.type === 'nothing') return <Status tone="over">{t('try.ignored')}</Status>
  if (problem) return <Status tone="wrong">{t('try.failed')}</Status>
  return <Status tone="good">{t('try.works')}</Status>
}

function Outcome({ tried: { made, transaction, problem } }: { readonly tried: Tried }) {
  const { t } = useTranslation('sources')
  const nothing = made?.type === 'nothing' ? { code: made.reason, text: made.reason } : undefined
  const shown = problem ?? nothing
  return (
    <Stack gap="md">
      {shown && <ProblemNote problem={shown} status={nothing ? 3 : 4} isTrial />}
      {made && made.type !== 'nothing' && (
        <>
          <MadeSummary made={made} />
          {transaction && <WouldEarn sale={transaction} />}
          <JsonBlock label={t('try.json')} value={made} />
        </>
      )}
    </Stack>
  )
}

/** What the sale would collect. */
function WouldEarn({ sale }: { readonly sale: Schemas['TransactionPreview'] }) {
  const { t } = useTranslation('sources')
  const { t: ofSales } = useTranslation('transactions')
  const { currency } = useSession().organization
  const program = useProgram()
  const actions: readonly Action[] = sale.executedActions.actions
  const ruleNameOf = useRuleNamesOf([...new Set(actions.flatMap(({ campaign }) => campaign ?? []))])
  const words = {
    t: ofSales,
    program,
    currency,
    // A coupon that does not exist yet has only the key of its reward.
    couponName: (key: string) => program.rewardName(key),
    ruleName: (campaign: string, rule: string) => ruleNameOf({ campaign, rule }),
  }
  return (
    <Stack gap={6}>
      <Title order={3} size="sm">
        {t('try.earns')}
      </Title>
      <Text size="sm">{t('try.due', { amount: formatMoney(sale.totals.due, currency) })}</Text>
      {actions.length === 0 && <Text size="sm">{t('try.nothing')}</Text>}
      <List size="sm" listStyleType="none" spacing={4}>
        {actions.map((action, index) => (
          <List.Item
            key={index}
            icon={
              <ThemeIcon variant="light" size={22} radius="xl">
                {action.type === 'collect' ? <IconPlus size={13} /> : <IconTicket size={13} />}
              </ThemeIcon>
            }
          >
            {actionWords(words, { ...action, coupon: action.reward })}
          </List.Item>
        ))}
      </List>
    </Stack>
  )
}
