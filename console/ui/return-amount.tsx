import { NumberInput } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { Schemas } from '../api/client.ts'
import { minus } from '../i18n/amounts.ts'
import { currencyDecimals, formatMoney } from '../i18n/format.ts'

interface ReturnAmountProps {
  readonly sale: Schemas['Transaction']
  readonly currency: string
  readonly value: number | string
  readonly onChange: (value: number | string) => void
}

/** Which part of a sale without items comes back; everything that is left if the field is empty. */
export function ReturnAmount({ sale, currency, value, onChange }: ReturnAmountProps) {
  const { t } = useTranslation('common')
  const left = minus(sale.payableAmount, ...sale.returns.map(({ amount = 0 }) => amount))
  return (
    <NumberInput
      label={t('returnAmount.label', { currency })}
      description={t('returnAmount.about', { left: formatMoney(left, currency) })}
      value={value}
      onChange={onChange}
      min={0}
      max={left}
      decimalScale={currencyDecimals(currency)}
      allowedDecimalSeparators={['.', ',']}
      allowNegative={false}
      hideControls
      inputMode="decimal"
    />
  )
}

/** The field's value as the request has it: undefined for everything, null for nothing. */
export function amountOf(value: number | string): number | undefined | null {
  if (value === '') return undefined
  return Number(value) > 0 ? Number(value) : null
}
