import { Button, Group, NumberInput, Stack, Text, TextInput } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { api, dataOf, type Schemas } from '../../api/client.ts'
import { formatNumber } from '../../i18n/format.ts'
import { FormModal } from '../../ui/form.tsx'
import { useModalForm } from '../../ui/use-modal-form.ts'
import { leftOf, lineName, type Sale } from './lines.tsx'

interface ReturnFormProps {
  readonly sale: Sale
  readonly isOpen: boolean
  readonly onClose: () => void
  readonly onDone: (done: Schemas['Return']) => void
}

/** Quantities to return per line. A sale without lines is returned whole. */
export function ReturnForm({ sale, isOpen, onClose, onDone }: ReturnFormProps) {
  const { t } = useTranslation('transactions')
  const lines = sale.items.map((line) => ({
    id: line.id ?? '',
    name: lineName(line),
    left: leftOf(sale, line),
  }))
  const open = lines.filter(({ left }) => left > 0)
  const isWhole = lines.length === 0
  const { values, set, modal } = useModalForm({
    isOpen,
    onClose,
    initial: () => ({ quantities: {} as Record<string, string | number>, reason: '', opaqueId: '' }),
    send: async ({ quantities, reason, opaqueId }, header) => {
      const items = open
        .map(({ id }) => ({ id, quantity: Number(quantities[id] ?? 0) }))
        .filter(({ quantity }) => quantity > 0)
      if (!isWhole && items.length === 0) throw new Error(t('return.nothing'))
      return dataOf(
        api.POST('/v1/transactions/{id}/return', {
          params: { path: { id: sale.id }, header },
          body: {
            items: isWhole ? undefined : items,
            reason: reason.trim() || undefined,
            opaqueId: opaqueId.trim() || undefined,
          },
        }),
      )
    },
    onDone,
  })
  const everything = () => set({ quantities: Object.fromEntries(open.map(({ id, left }) => [id, left])) })
  return (
    <FormModal {...modal} title={t('return.title')} submitLabel={t('return.submit')}>
      <Text size="sm" c="dimmed">
        {isWhole ? t('return.whole') : t('return.about')}
      </Text>
      {!isWhole && (
        <Stack gap="xs">
          {open.map(({ id, name, left }) => (
            <Group key={id} justify="space-between" wrap="nowrap">
              <div>
                <Text size="sm">{name}</Text>
                <Text size="xs" c="dimmed">
                  {t('return.left', { quantity: formatNumber(left) })}
                </Text>
              </div>
              <NumberInput
                aria-label={t('return.quantityOf', { line: name })}
                w={110}
                min={0}
                max={left}
                clampBehavior="none"
                placeholder="0"
                value={values.quantities[id] ?? ''}
                onChange={(quantity) => set({ quantities: { ...values.quantities, [id]: quantity } })}
              />
            </Group>
          ))}
          <Group justify="flex-end">
            <Button variant="subtle" size="compact-sm" onClick={everything}>
              {t('return.everything')}
            </Button>
          </Group>
        </Stack>
      )}
      <TextInput
        label={t('return.reason')}
        maxLength={500}
        value={values.reason}
        onChange={(event) => set({ reason: event.currentTarget.value })}
      />
      <TextInput
        label={t('return.opaqueId')}
        description={t('return.opaqueIdAbout')}
        maxLength={255}
        value={values.opaqueId}
        onChange={(event) => set({ opaqueId: event.currentTarget.value })}
      />
    </FormModal>
  )
}
