import { SimpleGrid, Text, TextInput } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { api, dataOf } from '../../api/client.ts'
import { useSession } from '../../api/session.ts'
import { fromWallClock } from '../../forms/local-time.ts'
import { toWallClock } from '../../i18n/format.ts'
import { FormModal } from '../../ui/form.tsx'
import { toast } from '../../ui/toast.ts'
import { useModalForm } from '../../ui/use-modal-form.ts'

const hourMs = 3_600_000

interface ReplayFormProps {
  readonly webhook: string
  readonly isOpen: boolean
  readonly onClose: () => void
}

/** Sends the events of a time again; local times of the organization. */
export function ReplayForm({ webhook, isOpen, onClose }: ReplayFormProps) {
  const { t } = useTranslation('webhooks')
  const { timezone } = useSession().organization
  const toInstant = (text: string) => fromWallClock(text, timezone).toISOString()
  const { values, set, modal } = useModalForm({
    isOpen,
    onClose,
    initial: () => ({ from: toWallClock(new Date(Date.now() - hourMs), timezone), to: '' }),
    send: ({ from, to }, header) =>
      dataOf(
        api.POST('/v1/webhooks/{id}/replay', {
          params: { path: { id: webhook }, header },
          body: { from: toInstant(from), to: to === '' ? undefined : toInstant(to) },
        }),
      ),
    onDone: ({ deliveries }) =>
      toast.success(deliveries === 0 ? t('range.none') : t('range.done', { count: deliveries })),
  })
  const isReversed = values.to !== '' && values.to <= values.from
  const submit = () => {
    if (!isReversed) modal.onSubmit()
  }
  return (
    <FormModal {...modal} title={t('range.title')} submitLabel={t('range.submit')} onSubmit={submit}>
      <Text size="sm">{t('range.about')}</Text>
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm" verticalSpacing="sm">
        <TextInput
          type="datetime-local"
          label={t('range.from')}
          value={values.from}
          onChange={({ currentTarget: { value } }) => set({ from: value })}
          required
          data-autofocus
        />
        <TextInput
          type="datetime-local"
          label={t('range.to')}
          value={values.to}
          onChange={({ currentTarget: { value } }) => set({ to: value })}
          error={isReversed ? t('range.order') : undefined}
          description={t('range.toAbout')}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
        />
      </SimpleGrid>
    </FormModal>
  )
}
