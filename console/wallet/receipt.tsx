import { type ReactNode, useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Schemas } from '../api/client.ts'
import { minus } from '../i18n/amounts.ts'
import { changeWords } from '../i18n/balance-words.ts'
import { formatDateTime, formatMoney, formatNumber } from '../i18n/format.ts'
import { balanceOf } from './card-parts.tsx'
import { readCard } from './card-request.ts'
import type { WalletCard } from './use-card.ts'

type ReceiptOfVisit = Schemas['WalletReceipt']

interface ReceiptProps {
  readonly id: string
  readonly card: WalletCard
}

/** What was bought, what was taken off, and what came of it; loaded when it is opened. */
export function Receipt({ id, card }: ReceiptProps) {
  const { t } = useTranslation('wallet')
  const [receipt, setReceipt] = useState<ReceiptOfVisit | 'failed'>()
  useEffect(() => {
    let isGone = false
    readCard<ReceiptOfVisit>(`visits/${id}`).then(
      (found) => !isGone && setReceipt(found),
      () => !isGone && setReceipt('failed'),
    )
    return () => {
      isGone = true
    }
  }, [id])
  if (receipt === undefined) return <output className="receipt hint">{t('loading')}</output>
  if (receipt === 'failed') return <output className="receipt trouble">{t('needsConnection')}</output>
  return <ReceiptLines receipt={receipt} card={card} />
}

function ReceiptLines({ receipt, card }: { readonly receipt: ReceiptOfVisit; readonly card: WalletCard }) {
  const { t } = useTranslation('wallet')
  const { currency } = card.organization
  const money = (amount: number) => formatMoney(amount, currency)
  const off = (amount: number) => money(-amount)
  const { items, totals, redeemed, granted, receiptNumber } = receipt
  // The till's own discounts include them.
  const used = redeemed.filter(() => totals.coupons === 0)
  // What was taken off an item stands beside it.
  const ofItems = items.reduce((sum, { discount = 0 }) => sum + discount, 0)
  const discounts = minus(totals.discounts, ofItems)
  return (
    <div className="receipt">
      <dl>
        {items.map(({ name, quantity, amount, discount }, i) => (
          <Pair key={i} term={quantity === 1 ? (name ?? t('item')) : timesOf(quantity, name ?? t('item'))}>
            {money(amount)}
            {discount && <small>{off(discount)}</small>}
          </Pair>
        ))}
        {discounts !== 0 && <Pair term={t('discounts')}>{off(discounts)}</Pair>}
        {totals.coupons !== 0 && (
          <Pair term={t('couponsUsed', { names: redeemed.map(({ name }) => name).join(', ') })}>
            {off(totals.coupons)}
          </Pair>
        )}
        {used.map(({ name }, i) => (
          <Pair key={i} term={t('couponsUsed', { names: name })}>
            {t('included')}
          </Pair>
        ))}
        {totals.points !== 0 && <Pair term={t('paidWithPoints')}>{off(totals.points)}</Pair>}
        <Pair term={<strong>{t('paid')}</strong>}>
          <strong>{money(totals.due)}</strong>
        </Pair>
      </dl>
      {granted.map(({ name }, i) => (
        <p key={i}>{t('couponEarned', { name })}</p>
      ))}
      {receipt.returns.map((returned) => (
        <Returned key={returned.at} returned={returned} card={card} />
      ))}
      {receiptNumber && (
        <p className="hint">
          {t('receiptNumber')} <bdi>{receiptNumber}</bdi>
        </p>
      )}
    </div>
  )
}

interface ReturnedProps {
  readonly returned: ReceiptOfVisit['returns'][number]
  readonly card: WalletCard
}

function Returned({ returned: { at, items, refundAmount, changes }, card }: ReturnedProps) {
  const { t } = useTranslation('wallet')
  const { currency, timezone } = card.organization
  return (
    <div className="returned">
      <p>{t('returnedAt', { at: formatDateTime(at, timezone) })}</p>
      <dl>
        {items.map(({ name, quantity }, i) => (
          <Pair key={i} term={timesOf(quantity, name ?? t('item'))}>
            {null}
          </Pair>
        ))}
        <Pair term={t('refunded')}>{formatMoney(refundAmount, currency)}</Pair>
      </dl>
      {Object.entries(changes).map(([key, change]) => (
        <p key={key}>{changeWords(balanceOf(card, key), change)}</p>
      ))}
    </div>
  )
}

const timesOf = (quantity: number, name: string) => `${formatNumber(quantity)} × ${name}`

function Pair({ term, children }: { readonly term: ReactNode; readonly children: ReactNode }) {
  return (
    <div>
      <dt>
        <bdi>{term}</bdi>
      </dt>
      <dd>{children}</dd>
    </div>
  )
}
