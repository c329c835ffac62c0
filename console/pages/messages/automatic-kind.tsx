import { Badge, Group, NumberInput, Select, Stack, Switch, Text } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, dataOf } from '../../api/client.ts'
import { type Channel, channels, type Sender } from '../../ui/messages/message.ts'
import { toast } from '../../ui/toast.ts'
import classes from './automatic-kind.module.css'
import { KindCounts } from './kind-counts.tsx'
import { type Kind, kindsQuery } from './kinds.ts'

interface AutomaticKindProps {
  readonly kind: Kind
  readonly senders: readonly Sender[]
}

/** A message that is sent by itself: whether, by which way, and how many days before or after. */
export function AutomaticKind({ kind: saved, senders }: AutomaticKindProps) {
  const { t } = useTranslation('messages')
  const { change, changing } = useChange(saved)
  const kind = { ...saved, channels: [...(changing?.channels ?? saved.channels)] }
  const isOn = kind.channels.length > 0
  const ready = channels.filter((channel) => senders.some((sender) => sender.channel === channel))
  const missing = kind.channels.filter((channel) => !ready.includes(channel))
  const name = t(`kind.${kind.kind}.when`)
  return (
    <Stack gap="xs" className={classes.kind}>
      <Group gap="xs" justify="space-between" align="flex-start">
        <Switch
          label={name}
          description={t(`kind.${kind.kind}.about`)}
          checked={isOn}
          disabled={!isOn && ready.length === 0}
          onChange={({ currentTarget: { checked } }) =>
            change({ channels: checked ? ready.slice(0, 1) : [] })
          }
          styles={{ label: { fontWeight: 550 } }}
        />
        {kind.marketing && (
          <Badge variant="default" tt="none" fw={500} className={classes.mark}>
            {t('marketing')}
          </Badge>
        )}
      </Group>
      <Stack gap="xs" className={classes.inner}>
        {isOn && (
          <Group gap="md" align="flex-end">
            <ChannelField kind={kind} ready={ready} onChange={(value) => change({ channels: value })} />
            {kind.days !== undefined && <DaysField kind={kind} onChange={(days) => change({ days })} />}
          </Group>
        )}
        {missing.map((channel) => (
          <Text key={channel} size="sm" c="red">
            {t(`missing.${channel}`)}
          </Text>
        ))}
        <KindCounts kind={kind} />
      </Stack>
    </Stack>
  )
}

interface Change {
  readonly channels?: readonly Channel[]
  readonly days?: number
}

interface Changes {
  readonly change: (change: Change) => void
  /** What is being saved, which is shown already. */
  readonly changing: Change | undefined
}

function useChange({ kind }: Kind): Changes {
  const { t } = useTranslation('common')
  const queries = useQueryClient()
  const { mutate, variables, isPending } = useMutation({
    mutationFn: ({ channels: chosen, days }: Change) =>
      dataOf(
        api.PATCH('/v1/message-kinds/{kind}', {
          params: { path: { kind } },
          body: { channels: chosen && [...chosen], days },
        }),
      ),
    onSuccess: (saved) => {
      queries.setQueryData(kindsQuery.queryKey, (before) =>
        before?.map((each) => (each.kind === kind ? saved : each)),
      )
      toast.success(t('saved'))
    },
  })
  return { change: mutate, changing: isPending ? variables : undefined }
}

/** In the order in which they are tried. */
const orders: readonly (readonly Channel[])[] = [['email'], ['sms'], ['email', 'sms'], ['sms', 'email']]

interface ChannelFieldProps {
  readonly kind: Kind
  readonly ready: readonly Channel[]
  readonly onChange: (channels: readonly Channel[]) => void
}

/** Offers what can be sent, and what is chosen already. */
function ChannelField({ kind, ready, onChange }: ChannelFieldProps) {
  const { t } = useTranslation('messages')
  const chosen = kind.channels.join('-')
  const offered = orders.filter(
    (order) => order.join('-') === chosen || order.every((channel) => ready.includes(channel)),
  )
  return (
    <Select
      label={t('by')}
      aria-label={t('byOf', { message: t(`kind.${kind.kind}.when`) })}
      data={offered.map((order) => ({ value: order.join('-'), label: t(`order.${order.join('-')}`) }))}
      value={chosen}
      onChange={(value) => value && onChange(value.split('-') as Channel[])}
      allowDeselect={false}
      w={{ base: '100%', xs: 220 }}
    />
  )
}

interface DaysFieldProps {
  readonly kind: Kind
  readonly onChange: (days: number) => void
}

const mostDays = 730

/** Saved when it is left or with Enter, not with every digit. */
function DaysField({ kind: { kind, days }, onChange }: DaysFieldProps) {
  const { t } = useTranslation('messages')
  const [text, setText] = useState<string | number>(days ?? '')
  const save = () => {
    const given = Number(text)
    if (text === '' || given < 1) setText(days ?? '')
    else if (given !== days) onChange(given)
  }
  return (
    <NumberInput
      label={t(kind === 'not_seen' ? 'daysAfter' : 'daysBefore')}
      value={text}
      onChange={setText}
      onBlur={save}
      onKeyDown={({ key }) => key === 'Enter' && save()}
      min={1}
      max={mostDays}
      clampBehavior="strict"
      allowDecimal={false}
      allowNegative={false}
      w={{ base: '100%', xs: 260 }}
    />
  )
}
