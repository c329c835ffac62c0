import { TextInput } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { api, dataOf } from '../../api/client.ts'
import { useSession } from '../../api/session.ts'
import { FormModal } from '../../ui/form.tsx'
import type { Channel, Message } from '../../ui/messages/message.ts'
import { useModalForm } from '../../ui/use-modal-form.ts'

interface TestFormProps {
  readonly channel: Channel
  readonly isOpen: boolean
  readonly onClose: () => void
  readonly onSent: (message: Message) => void
}

export function TestForm({ channel, isOpen, onClose, onSent }: TestFormProps) {
  const { t } = useTranslation('messages')
  const { email } = useSession().person
  const isEmail = channel === 'email'
  const { values, set, modal } = useModalForm({
    isOpen,
    onClose,
    initial: () => ({ to: isEmail ? email : '' }),
    send: ({ to }, header) =>
      dataOf(
        isEmail
          ? api.POST('/v1/senders/email/test', { params: { header }, body: { email: to.trim() } })
          : api.POST('/v1/senders/sms/test', { params: { header }, body: { phone: to.trim() } }),
      ),
    onDone: onSent,
  })
  return (
    <FormModal {...modal} title={t('test.action')} submitLabel={t('test.send')}>
      <TextInput
        type={isEmail ? 'email' : 'tel'}
        label={t(isEmail ? 'test.email' : 'test.phone')}
        description={t('test.about')}
        value={values.to}
        onChange={({ currentTarget: { value } }) => set({ to: value })}
        required
        maxLength={isEmail ? 320 : 40}
        data-autofocus
      />
    </FormModal>
  )
}
