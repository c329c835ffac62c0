import { Alert, Button, Stack, Text } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api, dataOf } from '../../api/client.ts'
import { useSession } from '../../api/session.ts'
import { formatDateTime } from '../../i18n/format.ts'
import { IconAlertTriangle, IconPlayerPause, IconPlayerPlay } from '../../ui/icons.ts'
import { Status, type Tone } from '../../ui/status.tsx'
import { toast } from '../../ui/toast.ts'
import { stateOf, type Webhook } from './webhook.ts'

const tones = {
  active: 'good',
  failing: 'wrong',
  manual: 'waiting',
  pausedFailing: 'wrong',
  gone: 'wrong',
} as const satisfies Record<ReturnType<typeof stateOf>, Tone>

/** Whether events are sent, and a mark if something has to be done about it. */
export function WebhookState({ webhook }: { readonly webhook: Webhook }) {
  const { t } = useTranslation('webhooks')
  const { timezone } = useSession().organization
  const state = stateOf(webhook)
  return (
    <Stack gap={2} align="flex-start" component="span">
      <Status tone={tones[state]}>{t(`state.${state}`)}</Status>
      {state === 'failing' && (
        <Text size="xs" c="dimmed" span>
          {t('since', { time: formatDateTime(webhook.failingSince!, timezone) })}
        </Text>
      )}
    </Stack>
  )
}

/** Pauses or resumes a webhook. */
export function useSetStatus({ id }: Webhook) {
  const { t } = useTranslation('webhooks')
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (status: Webhook['status']) =>
      dataOf(api.PATCH('/v1/webhooks/{id}', { params: { path: { id } }, body: { status } })),
    onSuccess: async (_, status) => {
      await queries.invalidateQueries({ queryKey: ['webhooks'] })
      toast.success(t(status === 'active' ? 'resumed' : 'paused'))
    },
  })
}

export function ResumeButton({ webhook, label }: { readonly webhook: Webhook; readonly label?: string }) {
  const { t } = useTranslation('webhooks')
  const { mutate, isPending } = useSetStatus(webhook)
  return (
    <Button
      size="compact-sm"
      variant="default"
      leftSection={<IconPlayerPlay size={14} />}
      aria-label={label}
      loading={isPending}
      onClick={() => mutate('active')}
    >
      {t('resume')}
    </Button>
  )
}

/** Explains on a webhook's page why it gets nothing, and what to do. */
export function WebhookTrouble({ webhook }: { readonly webhook: Webhook }) {
  const { t } = useTranslation('webhooks')
  const { timezone } = useSession().organization
  const state = stateOf(webhook)
  if (state === 'active') return null
  const isManual = state === 'manual'
  const Icon = isManual ? IconPlayerPause : IconAlertTriangle
  const time = webhook.failingSince && formatDateTime(webhook.failingSince, timezone)
  return (
    <Alert color={isManual ? 'yellow' : 'red'} icon={<Icon />} title={t(`state.${state}`)}>
      <Stack gap="xs" align="flex-start">
        <Text size="sm">{t(`trouble.${state}`, { time })}</Text>
        {state !== 'failing' && <ResumeButton webhook={webhook} />}
      </Stack>
    </Alert>
  )
}
