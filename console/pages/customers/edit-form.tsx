import { useTranslation } from 'react-i18next'
import { api, dataOf } from '../../api/client.ts'
import { FormModal } from '../../ui/form.tsx'
import { toast } from '../../ui/toast.ts'
import { useModalForm } from '../../ui/use-modal-form.ts'
import { ConsentFields, changedConsents, consentsOf } from './consents.tsx'
import type { Customer } from './customer.ts'
import { ProfileFields } from './profile-fields.tsx'

interface EditFormProps {
  readonly customer: Customer
  readonly isOpen: boolean
  readonly onClose: () => void
}

export function EditForm({ customer, isOpen, onClose }: EditFormProps) {
  const { t } = useTranslation('customers')
  const { values, set, modal } = useModalForm({
    isOpen,
    onClose,
    initial: () => {
      const { fullname = '', phone = '', email = '' } = customer.data
      return { fullname, phone, email, language: customer.language, consents: consentsOf(customer) }
    },
    send: ({ fullname, phone, email, language, consents }) =>
      dataOf(
        api.PATCH('/v1/customers/{id}', {
          params: { path: { id: customer.id } },
          // An emptied field is removed.
          body: {
            data: {
              fullname: fullname.trim() || null,
              phone: phone.trim() || null,
              email: email.trim() || null,
            },
            language: language ?? null,
            consents: changedConsents(consentsOf(customer), consents),
          },
        }),
      ),
    onDone: () => toast.success(t('common:saved')),
  })
  return (
    <FormModal {...modal} title={t('profile.editTitle')} submitLabel={t('common:save')}>
      <ProfileFields values={values} set={set} />
      <ConsentFields
        values={values.consents}
        onChange={(consents) => set({ consents })}
        customer={customer}
      />
    </FormModal>
  )
}
