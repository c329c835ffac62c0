import { useTranslation } from 'react-i18next'
import { lineAmount } from '../../i18n/amounts.ts'
import { currencyDecimals, formatNumber } from '../../i18n/format.ts'
import { Row } from '../../ui/totals.tsx'
import { useMoney, useTillContext } from '../shell/till-context.ts'
import type { Basket } from './preview.ts'

/** What was bought, as the till sent it. */
export function ReceiptLines({ items }: { readonly items: NonNullable<Basket['items']> }) {
  const { t } = useTranslation('till')
  const money = useMoney()
  const { currency } = useTillContext().session.organization
  return (
    <dl className="till-totals">
      {items.map(({ id, name, quantity = 1, unitPrice = 0 }) => (
        <Row
          key={id}
          label={t('receipt.line', { quantity: formatNumber(quantity), name })}
          value={money(lineAmount({ unitPrice, quantity }, currencyDecimals(currency)))}
        />
      ))}
    </dl>
  )
}
