import { NumberInput, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { currencyDecimals } from '../../i18n/format.ts'
import { FormModal } from '../../ui/form.tsx'
import { useClosedByBack } from '../shell/back.ts'
import { useTillContext } from '../shell/till-context.ts'
import type { Line, Product } from './sale.ts'

interface PriceFormProps {
  /** The product that needs a price; undefined for a custom item. */
  readonly product?: Product
  readonly onClose: () => void
  readonly onAdd: (line: Pick<Line, 'product' | 'name' | 'category' | 'unitPrice'>) => void
}

export function PriceForm({ product, onClose, onAdd }: PriceFormProps) {
  const { t } = useTranslation('till')
  useClosedByBack(onClose)
  const { currency } = useTillContext().session.organization
  const [name, setName] = useState('')
  const [price, setPrice] = useState<number | string>('')
  const submit = () => {
    const unitPrice = Number(price)
    if (price === '' || !Number.isFinite(unitPrice)) return
    const given = product
      ? { product: product.opaqueId, name: product.name ?? product.opaqueId, category: product.category }
      : { name: name.trim() || t('price.nameless') }
    onAdd({ ...given, unitPrice })
  }
  return (
    <FormModal
      title={product ? t('price.of', { name: product.name ?? product.opaqueId }) : t('products.custom')}
      isOpen
      onClose={onClose}
      onSubmit={submit}
      isBusy={false}
      submitLabel={t('price.add')}
    >
      {!product && (
        <TextInput
          label={t('price.name')}
          value={name}
          maxLength={255}
          onChange={({ currentTarget }) => setName(currentTarget.value)}
          data-autofocus
        />
      )}
      <NumberInput
        label={t('price.price', { currency })}
        value={price}
        onChange={setPrice}
        min={0}
        max={1_000_000}
        decimalScale={currencyDecimals(currency)}
        allowedDecimalSeparators={['.', ',']}
        allowNegative={false}
        hideControls
        required
        inputMode="decimal"
        data-autofocus={product ? true : undefined}
      />
    </FormModal>
  )
}
