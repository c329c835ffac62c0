import { Alert, Button, Stack, Text } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { useSession } from '../../api/session.ts'
import { formatDateTime, formatRelative } from '../../i18n/format.ts'
import { IconAlertTriangle, IconKey, IconPlayerPause, IconPlayerPlay } from '../../ui/icons.ts'
import { Status, type Tone } from '../../ui/status.tsx'
import { toast } from '../../ui/toast.ts'
import { patchSource, type Source } from './requests.ts'
import { stateOf } from './source.ts'

type State = ReturnType<typeof stateOf>

const tones = {
  active: 'good',
  waiting: 'waiting',
  paused: 'over',
  noSecret: 'waiting',
  noToken: 'waiting',
  rejected: 'wrong',
} as const satisfies Record<State, Tone>

/** Whether sales come in, and a mark if something has to be done about it. */
export function SourceState({ source }: { readonly source: Source }) {
  const { t } = useTranslation('sources')
  const state = stateOf(source)
  return (
    <Stack gap={2} align="flex-start" component="span">
      <Status tone={tones[state]}>{t(`state.${state}`)}</Status>
      {state === 'rejected' && (
        <Text size="xs" c="dimmed" span>
          {formatRelative(source.lastRejectedAt!)}
        </Text>
      )}
    </Stack>
  )
}

/** Pauses or resumes a source. */
export function useSetStatus({ id }: Source) {
  const { t } = useTranslation('sources')
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (status: Source['status']) => patchSource(id, { status }),
    onSuccess: async (_, status) => {
      await queries.invalidateQueries({ queryKey: ['sources'] })
      toast.success(t(status === 'active' ? 'resumed' : 'paused'))
    },
  })
}

export function ResumeButton({ source, label }: { readonly source: Source; readonly label?: string }) {
  const { t } = useTranslation('sources')
  const { mutate, isPending } = useSetStatus(source)
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

const icons = {
  paused: IconPlayerPause,
  noSecret: IconKey,
  noToken: IconKey,
  rejected: IconAlertTriangle,
} as const

/** Explains on a source's page why no sales come in, and what to do. */
export function SourceTrouble({ source }: { readonly source: Source }) {
  const { t } = useTranslation('sources')
  const { timezone } = useSession().organization
  const state = stateOf(source)
  if (state === 'active' || state === 'waiting') return null
  const Icon = icons[state]
  const time = source.lastRejectedAt && formatDateTime(source.lastRejectedAt, timezone)
  return (
    <Alert color={state === 'rejected' ? 'red' : 'yellow'} icon={<Icon />} title={t(`state.${state}`)}>
      <Stack gap="xs" align="flex-start">
        <Text size="sm">{t(`trouble.${state}`, { time })}</Text>
        {state === 'paused' && <ResumeButton source={source} />}
      </Stack>
    </Alert>
  )
}
