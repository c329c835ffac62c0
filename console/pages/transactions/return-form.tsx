import { Button, Group, NumberInput, Stack, Text, TextInput } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { api, dataOf, type Schemas } from '../../api/client.ts'
import { useSession } from '../../api/session.ts'
import { formatNumber } from '../../i18n/format.ts'
import { Failure } from '../../ui/failure.tsx'
import { FormModal } from '../../ui/form.tsx'
import { amountOf, ReturnAmount } from '../../ui/return-amount.tsx'
import { useModalForm } from '../../ui/use-modal-form.ts'
import { useReturnPreview, type Wanted } from '../../ui/use-return-preview.ts'
import { leftOf, lineName, type Sale } from './lines.tsx'
import classes from './return-form.module.css'
import { ReturnWords } from './returns.tsx'

interface ReturnFormProps {
  readonly sale: Sale
  readonly isOpen: boolean
  readonly onClose: () => void
  readonly onDone: (done: Schemas['SaleReturn']) => void
}

interface Values {
  readonly quantities: Readonly<Record<string, string | number>>
  readonly amount: string | number
  readonly reason: string
  readonly opaqueId: string
}

/** What to return, or undefined while nothing is chosen. */
function wantedOf(sale: Sale, { quantities, amount: given }: Values): Wanted | undefined {
  if (sale.items.length === 0) {
    const amount = amountOf(given)
    return amount === null ? undefined : { amount }
  }
  const items = sale.items
    .map(({ id = '' }) => ({ id, quantity: Number(quantities[id] ?? 0) }))
    .filter(({ quantity }) => quantity > 0)
  return items.length === 0 ? undefined : { items }
}

/** Quantities to return per line, or an amount for a sale without lines, and what that will do. */
export function ReturnForm({ sale, isOpen, onClose, onDone }: ReturnFormProps) {
  const { t } = useTranslation('transactions')
  const { currency } = useSession().organization
  const { values, set, isSent, modal } = useModalForm({
    isOpen,
    onClose,
    initial: (): Values => ({ quantities: {}, amount: '', reason: '', opaqueId: '' }),
    send: async (given, header) => {
      const wanted = wantedOf(sale, given)
      if (!wanted) throw new Error(t('return.nothing'))
      const { reason, opaqueId } = given
      return dataOf(
        api.POST('/v1/transactions/{id}/return', {
          params: { path: { id: sale.id }, header },
          body: { ...wanted, reason: reason.trim() || undefined, opaqueId: opaqueId.trim() || undefined },
        }),
      )
    },
    onDone,
  })
  const isByAmount = sale.items.length === 0
  const label = isByAmount ? t('return.openAmount') : t('return.open')
  return (
    <FormModal {...modal} title={label} submitLabel={label}>
      <Text size="sm" c="dimmed">
        {isByAmount ? t('return.aboutAmount') : t('return.about')}
      </Text>
      {isByAmount ? (
        <ReturnAmount
          sale={sale}
          currency={currency}
          value={values.amount}
          onChange={(amount) => set({ amount })}
        />
      ) : (
        <Quantities
          sale={sale}
          quantities={values.quantities}
          onChange={(quantities) => set({ quantities })}
        />
      )}
      <References values={values} set={set} />
      {/* A return that was sent would make its own preview wrong. */}
      <Preview sale={sale} wanted={isOpen && !isSent ? wantedOf(sale, values) : undefined} />
    </FormModal>
  )
}

interface QuantitiesProps {
  readonly sale: Sale
  readonly quantities: Values['quantities']
  readonly onChange: (quantities: Values['quantities']) => void
}

function Quantities({ sale, quantities, onChange }: QuantitiesProps) {
  const { t } = useTranslation('transactions')
  const open = sale.items
    .map((line) => ({ id: line.id ?? '', name: lineName(line), left: leftOf(sale, line) }))
    .filter(({ left }) => left > 0)
  return (
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
            value={quantities[id] ?? ''}
            onChange={(quantity) => onChange({ ...quantities, [id]: quantity })}
          />
        </Group>
      ))}
      <Group justify="flex-end">
        <Button
          variant="subtle"
          size="compact-sm"
          onClick={() => onChange(Object.fromEntries(open.map(({ id, left }) => [id, left])))}
        >
          {t('return.everything')}
        </Button>
      </Group>
    </Stack>
  )
}

interface ReferencesProps {
  readonly values: Values
  readonly set: (changes: Partial<Values>) => void
}

function References({ values, set }: ReferencesProps) {
  const { t } = useTranslation('transactions')
  return (
    <>
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
    </>
  )
}

/** What the return will do, before it is confirmed. */
function Preview({ sale, wanted }: { readonly sale: Sale; readonly wanted: Wanted | undefined }) {
  const { t } = useTranslation('transactions')
  const { shown, isCurrent, error } = useReturnPreview(sale.id, wanted)
  return (
    <section aria-label={t('return.preview')} aria-live="polite" aria-busy={shown && !isCurrent}>
      {error && <Failure error={error} />}
      {shown && (
        <div className={classes.outcome}>
          {/* What is returned stands right above. */}
          <ReturnWords done={{ ...shown, items: [], amount: undefined }} sale={sale} />
        </div>
      )}
    </section>
  )
}
