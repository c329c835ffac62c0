import { Alert, Text, TextInput } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { api, dataOf } from '../../api/client.ts'
import { nameOf } from '../../ui/customer-name.tsx'
import { FormModal } from '../../ui/form.tsx'
import { useModalForm } from '../../ui/use-modal-form.ts'
import type { Customer } from './customer.ts'

interface EraseFormProps {
  readonly customer: Customer
  readonly isOpen: boolean
  readonly onClose: () => void
  readonly onDone: () => void
}

/** Erasing cannot be undone, so the name has to be typed: a click is too easily made by mistake. */
export function EraseForm({ customer, isOpen, onClose, onDone }: EraseFormProps) {
  const { t } = useTranslation('customers')
  const name = nameOf(customer) ?? customer.id
  const { values, set, modal } = useModalForm({
    isOpen,
    onClose,
    initial: () => ({ typed: '' }),
    send: async ({ typed }, header) => {
      if (typed.trim() !== name) throw new Error(t('erase.mismatch', { name }))
      return dataOf(
        api.POST('/v1/customers/{id}/erase', { params: { path: { id: customer.id }, header }, body: {} }),
      )
    },
    onDone,
  })
  return (
    <FormModal {...modal} title={t('erase.title')} submitLabel={t('erase.submit')} isDangerous>
      <Text size="sm">{t('erase.about')}</Text>
      <Alert color="red" variant="light">
        {t('erase.warning')}
      </Alert>
      <TextInput
        label={t('erase.type', { name })}
        data-autofocus
        autoComplete="off"
        required
        value={values.typed}
        onChange={(event) => set({ typed: event.currentTarget.value })}
      />
    </FormModal>
  )
}
