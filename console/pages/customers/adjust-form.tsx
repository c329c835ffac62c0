import { NumberInput, Select, TextInput } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { api, dataOf } from '../../api/client.ts'
import { useProgram } from '../../i18n/campaign-names.ts'
import { FormModal } from '../../ui/form.tsx'
import { toast } from '../../ui/toast.ts'
import { useModalForm } from '../../ui/use-modal-form.ts'
import type { Customer } from './customer.ts'

interface AdjustFormProps {
  readonly customer: Customer
  /** The balance that is selected first; undefined while the form is closed. */
  readonly balance?: string
  readonly onClose: () => void
}

/** The service decides what can be deducted; its refusal is shown in the form. */
export function AdjustForm({ customer, balance, onClose }: AdjustFormProps) {
  const { t } = useTranslation('customers')
  const program = useProgram()
  const { values, set, modal } = useModalForm({
    isOpen: balance !== undefined,
    onClose,
    initial: () => ({ key: balance ?? '', amount: '' as string | number, reason: '' }),
    send: ({ key, amount, reason }, header) =>
      dataOf(
        api.POST('/v1/customers/{id}/adjustments', {
          params: { path: { id: customer.id }, header },
          body: { key, amount: Number(amount), reason: reason.trim() },
        }),
      ),
    onDone: ({ key, value }) => toast.success(t('balance.done', { amount: program.amount(key, value) })),
  })
  return (
    <FormModal {...modal} title={t('balance.adjustTitle')} submitLabel={t('balance.submit')}>
      <Select
        label={t('balance.key')}
        data={Object.keys(customer.collectables).map((key) => ({
          value: key,
          label: program.balanceName(key),
        }))}
        value={values.key}
        onChange={(key) => set({ key: key ?? '' })}
        allowDeselect={false}
        required
      />
      <NumberInput
        label={t('balance.amount')}
        description={t('balance.amountAbout')}
        data-autofocus
        required
        value={values.amount}
        onChange={(amount) => set({ amount })}
      />
      <TextInput
        label={t('balance.reason')}
        description={t('balance.reasonAbout')}
        required
        maxLength={500}
        value={values.reason}
        onChange={(event) => set({ reason: event.currentTarget.value })}
      />
    </FormModal>
  )
}
