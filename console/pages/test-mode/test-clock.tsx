import { Button, Group, List, Stack, Text, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, dataOf, type Schemas } from '../../api/client.ts'
import { idempotencyHeaders } from '../../api/idempotency-key.ts'
import { useSession } from '../../api/session.ts'
import { useTestClock } from '../../api/test-clock.ts'
import { fromWallClock } from '../../forms/local-time.ts'
import { useEventWords } from '../../i18n/event-words.ts'
import { formatDateTime, formatNumber, toWallClock } from '../../i18n/format.ts'
import { paths } from '../../paths.ts'
import { Failure } from '../../ui/failure.tsx'
import { PageLink } from '../../ui/page-link.tsx'
import { Section } from '../../ui/section.tsx'

const steps = { day: 'P1D', week: 'P7D', month: 'P1M' } as const

type Advance = Schemas['ClockAdvance']
type Advanced = Schemas['AdvancedClock']

export function TestClock() {
  const { t } = useTranslation('test-mode')
  const { timezone } = useSession().organization
  const { data: clock } = useTestClock()
  const { mutate, isPending, data: advanced, error } = useAdvance()
  return (
    <>
      <Section title={t('clock.now')}>
        <Text size="xl" fw={650}>
          {clock && <time dateTime={clock.now}>{formatDateTime(clock.now, timezone)}</time>}
        </Text>
        {error && <Failure error={error} />}
        <Group gap="xs">
          {(['day', 'week', 'month'] as const).map((step) => (
            <Button
              key={step}
              variant="default"
              disabled={isPending}
              onClick={() => mutate({ by: steps[step] })}
            >
              {t(`clock.${step}`)}
            </Button>
          ))}
        </Group>
        {clock && <PickTime now={clock.now} isBusy={isPending} onPick={(to) => mutate({ to })} />}
        <Text size="sm" c="dimmed">
          {t('clock.forward')}
        </Text>
      </Section>
      <div aria-live="polite">{advanced && <Outcome advanced={advanced} />}</div>
    </>
  )
}

/** Goes on by itself until it is done: a request has time for so much only. */
function useAdvance() {
  const queries = useQueryClient()
  return useMutation({
    meta: { isShownInPlace: true },
    mutationFn: async (first: Advance): Promise<Advanced> => {
      const send = (body: Advance) =>
        dataOf(api.POST('/v1/test-clock/advance', { body, params: { header: idempotencyHeaders() } }))
      let advanced = await send(first)
      const counts = new Map(advanced.events.map(({ type, count }) => [type, count]))
      while (!advanced.isDone) {
        advanced = await send({ to: advanced.to })
        for (const { type, count } of advanced.events) counts.set(type, (counts.get(type) ?? 0) + count)
      }
      return { ...advanced, events: [...counts].map(([type, count]) => ({ type, count })) }
    },
    // Everything may have changed, and with it what day it is.
    onSettled: () => queries.invalidateQueries(),
  })
}

interface PickTimeProps {
  readonly now: string
  readonly isBusy: boolean
  readonly onPick: (to: string) => void
}

function PickTime({ now, isBusy, onPick }: PickTimeProps) {
  const { t } = useTranslation('test-mode')
  const { timezone } = useSession().organization
  const [text, setText] = useState('')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    onPick(fromWallClock(text, timezone).toISOString())
  }
  return (
    <form onSubmit={submit}>
      <Group gap="xs" align="flex-end">
        <TextInput
          type="datetime-local"
          label={t('clock.to')}
          min={toWallClock(new Date(now), timezone)}
          value={text}
          onChange={({ currentTarget: { value } }) => setText(value)}
          required
        />
        <Button type="submit" loading={isBusy}>
          {t('clock.set')}
        </Button>
      </Group>
    </form>
  )
}

function Outcome({ advanced }: { readonly advanced: Advanced }) {
  const { t } = useTranslation('test-mode')
  const wordsOf = useEventWords()
  const { timezone } = useSession().organization
  const { events, isDone, now } = advanced
  return (
    <Section title={t('outcome.title')}>
      <Stack gap="xs">
        <Text size="sm">
          {t(isDone ? 'outcome.reached' : 'outcome.stopped', { time: formatDateTime(now, timezone) })}
        </Text>
        {events.length === 0 && <Text size="sm">{t('outcome.nothing')}</Text>}
        {events.length > 0 && (
          <List size="sm">
            {events.map(({ type, count }) => (
              <List.Item key={type}>
                {t('outcome.event', { what: wordsOf(type), number: formatNumber(count) })}
              </List.Item>
            ))}
          </List>
        )}
        <PageLink to={paths.events()} size="sm">
          {t('outcome.all')}
        </PageLink>
      </Stack>
    </Section>
  )
}
