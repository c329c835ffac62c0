import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { formatChoice, formatDate } from '../i18n/format.ts'
import { CodePicture, KindChoice } from './code-picture.tsx'
import { FullScreen } from './full-screen.tsx'
import type { WalletCard } from './use-card.ts'
import type { CodeKind } from './use-code-kind.ts'

type Coupon = WalletCard['coupons'][number]

const sooner = (a: { expiresAt?: string }, b: { expiresAt?: string }) =>
  (a.expiresAt ?? '9').localeCompare(b.expiresAt ?? '9')

interface CouponsProps {
  readonly card: WalletCard
  readonly kind: CodeKind
  readonly onKind: (kind: CodeKind) => void
}

/** What can be redeemed. A till finds a coupon by scanning the card, so each opens the code, full screen. */
export function Coupons({ card, kind, onKind }: CouponsProps) {
  const { t } = useTranslation('wallet')
  const [open, setOpen] = useState<string>()
  if (card.coupons.length === 0) return null
  const shown = card.coupons.find(({ id }) => id === open)
  return (
    <section className="coupons">
      <h2>{t('coupons')}</h2>
      <ul>
        {card.coupons.toSorted(sooner).map((coupon) => (
          <li key={coupon.id}>
            {card.card.barcode ? (
              <button type="button" className="coupon" onClick={() => setOpen(coupon.id)}>
                <CouponWords card={card} coupon={coupon} />
              </button>
            ) : (
              <div className="coupon">
                <CouponWords card={card} coupon={coupon} />
              </div>
            )}
          </li>
        ))}
      </ul>
      {card.card.barcode && <p className="hint">{t('couponHint')}</p>}
      {shown && card.card.barcode && (
        <FullScreen label={shown.name} onClose={() => setOpen(undefined)}>
          <p className="merchant">{card.organization.name}</p>
          <h2>
            <bdi>{shown.name}</bdi>
          </h2>
          <CouponFacts card={card} coupon={shown} />
          <div className="code large">
            <CodePicture barcode={card.card.barcode} kind={kind} />
          </div>
          <KindChoice name="coupon-kind" kind={kind} onChange={onKind} />
          <p className="hint">{t('couponAtTill', { name: shown.name })}</p>
        </FullScreen>
      )}
    </section>
  )
}

interface CouponWordsProps {
  readonly card: WalletCard
  readonly coupon: Coupon
}

function CouponWords({ card, coupon }: CouponWordsProps) {
  return (
    <>
      <strong>
        <bdi>{coupon.name}</bdi>
      </strong>
      <CouponFacts card={card} coupon={coupon} />
    </>
  )
}

function CouponFacts({ card, coupon: { products, expiresAt } }: CouponWordsProps) {
  const { t } = useTranslation('wallet')
  return (
    <>
      <span className="coupon-end">
        {expiresAt
          ? t('validUntil', { date: formatDate(expiresAt, card.organization.timezone) })
          : t('noExpiry')}
      </span>
      {products && (
        <span className="coupon-products">{t('oneFree', { products: formatChoice(products) })}</span>
      )}
    </>
  )
}
