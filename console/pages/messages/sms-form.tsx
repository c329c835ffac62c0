import { Anchor, Text, TextInput } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { api, dataOf } from '../../api/client.ts'
import { guide } from '../../paths.ts'
import { FormModal } from '../../ui/form.tsx'
import type { Sender } from '../../ui/messages/message.ts'
import { toast } from '../../ui/toast.ts'
import { useModalForm } from '../../ui/use-modal-form.ts'
import { PerHourField } from './per-hour-field.tsx'

interface SmsFormProps {
  /** The provider as it is set up, if it is. */
  readonly sender: Sender | undefined
  readonly isOpen: boolean
  readonly onClose: () => void
  /** A new secret, which is shown once. */
  readonly onSecret: (secret: string) => void
}

interface Values {
  readonly url: string
  readonly perHour: number | string
  readonly newSecret?: boolean
}

const save = ({ url, perHour, newSecret }: Values) =>
  dataOf(
    api.PUT('/v1/senders/sms', {
      body: { url: url.trim(), perHour: perHour === '' ? undefined : Number(perHour), newSecret },
    }),
  )

export function SmsForm({ sender, isOpen, onClose, onSecret }: SmsFormProps) {
  const { t } = useTranslation('messages')
  const { values, set, modal } = useModalForm({
    isOpen,
    onClose,
    initial: (): Values => ({ url: sender?.sms?.url ?? '', perHour: sender?.perHour ?? 100 }),
    send: save,
    onDone: ({ secret }) => (secret === undefined ? toast.success(t('common:saved')) : onSecret(secret)),
  })
  return (
    <FormModal {...modal} title={t('sender.setUp.sms')} submitLabel={t('common:save')}>
      <TextInput
        type="url"
        dir="ltr"
        label={t('form.url')}
        description={t('form.urlAbout')}
        placeholder="https://sms.example.com/send"
        value={values.url}
        onChange={({ currentTarget: { value } }) => set({ url: value })}
        required
        maxLength={2_000}
        data-autofocus
      />
      <Anchor href={`${guide('messages')}#sms`} target="_blank" size="sm">
        {t('form.urlGuide')}
      </Anchor>
      <PerHourField value={values.perHour} onChange={(perHour) => set({ perHour })} />
    </FormModal>
  )
}

/** Asks before it makes a new secret: the one before it ends at once. */
export function NewSecretForm({ sender, isOpen, onClose, onSecret }: SmsFormProps) {
  const { t } = useTranslation('messages')
  const { modal } = useModalForm({
    isOpen,
    onClose,
    initial: (): Values => ({ url: sender?.sms?.url ?? '', perHour: sender?.perHour ?? '', newSecret: true }),
    send: save,
    onDone: ({ secret }) => secret !== undefined && onSecret(secret),
  })
  return (
    <FormModal {...modal} title={t('secret.newTitle')} submitLabel={t('secret.new')} isDangerous>
      <Text size="sm">{t('secret.newAbout')}</Text>
    </FormModal>
  )
}
