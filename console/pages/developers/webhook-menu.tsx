import { Text } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, dataOf } from '../../api/client.ts'
import { Action, ActionsMenu } from '../../ui/actions-menu.tsx'
import { FormModal } from '../../ui/form.tsx'
import { IconKey, IconPencil, IconPlayerPause, IconPlayerPlay, IconTrash } from '../../ui/icons.ts'
import { ShownSecret } from '../../ui/shown-once.tsx'
import { toast } from '../../ui/toast.ts'
import { RotateForm } from './rotate-form.tsx'
import { nameOf, type Webhook } from './webhook.ts'
import { WebhookForm } from './webhook-form.tsx'
import { useSetStatus } from './webhook-state.tsx'

interface WebhookMenuProps {
  readonly webhook: Webhook
  readonly onDeleted?: () => void
  /** On the webhook's page the button stands among larger ones. */
  readonly isLarge?: boolean
}

/** What can be done with a webhook, with the dialogs for it. */
export function WebhookMenu({ webhook, onDeleted, isLarge }: WebhookMenuProps) {
  const { t } = useTranslation('webhooks')
  const [opened, setOpened] = useState<'edit' | 'rotate' | 'delete'>()
  const [secret, setSecret] = useState<string>()
  const { mutate: setStatus } = useSetStatus(webhook)
  const close = () => setOpened(undefined)
  const isActive = webhook.status === 'active'
  return (
    <>
      <ActionsMenu label={t('actionsFor', { name: nameOf(webhook) })} isLarge={isLarge}>
        <Action icon={IconPencil} onClick={() => setOpened('edit')}>
          {t('edit')}
        </Action>
        <Action
          icon={isActive ? IconPlayerPause : IconPlayerPlay}
          onClick={() => setStatus(isActive ? 'paused' : 'active')}
        >
          {t(isActive ? 'pause' : 'resume')}
        </Action>
        <Action icon={IconKey} onClick={() => setOpened('rotate')}>
          {t('rotate')}
        </Action>
        <Action icon={IconTrash} isDangerous onClick={() => setOpened('delete')}>
          {t('delete.action')}
        </Action>
      </ActionsMenu>
      {opened === 'edit' && <WebhookForm webhook={webhook} onClose={close} />}
      {opened === 'rotate' && (
        <RotateForm
          name={nameOf(webhook)}
          about={t('rotateAbout')}
          rotate={(overlapSeconds) => rotateSecret(webhook, overlapSeconds)}
          onClose={close}
          onRotated={(rotated) => setSecret(rotated.secret)}
        />
      )}
      {opened === 'delete' && <DeleteForm webhook={webhook} onClose={close} onDeleted={onDeleted} />}
      {secret && <ShownSecret namespace="webhooks" secret={secret} onClose={() => setSecret(undefined)} />}
    </>
  )
}

const rotateSecret = ({ id }: Webhook, overlapSeconds: number) =>
  dataOf(api.POST('/v1/webhooks/{id}/rotate', { params: { path: { id } }, body: { overlapSeconds } }))

interface DeleteFormProps extends Pick<WebhookMenuProps, 'webhook' | 'onDeleted'> {
  readonly onClose: () => void
}

function DeleteForm({ webhook, onClose, onDeleted }: DeleteFormProps) {
  const { t } = useTranslation('webhooks')
  const queries = useQueryClient()
  const { mutate, isPending, error } = useMutation({
    meta: { isShownInPlace: true },
    mutationFn: () => dataOf(api.DELETE('/v1/webhooks/{id}', { params: { path: { id: webhook.id } } })),
    onSuccess: async () => {
      onClose()
      onDeleted?.()
      toast.success(t('delete.done'))
      // The page of the webhook may still be there for a moment, and would ask for it once more.
      await queries.invalidateQueries({ queryKey: ['webhooks', 'list'] })
    },
  })
  return (
    <FormModal
      title={t('delete.title')}
      isOpen
      onClose={onClose}
      onSubmit={mutate}
      isBusy={isPending}
      error={error}
      submitLabel={t('delete.action')}
      isDangerous
    >
      <Text size="sm">{t('delete.about', { address: webhook.url })}</Text>
    </FormModal>
  )
}
