/** Renders customers, cards, coupons and ledger entries as API responses. */
import { type Coupon, couponStatusAt } from '../../domain/coupon.ts'
import {
  type BalanceView,
  type Card,
  type Customer,
  type CustomerView,
  isLive,
} from '../../domain/customer.ts'
import { fromUnits } from '../../domain/money.ts'
import type { FoundCustomer } from '../../operations/customers/find-customer.ts'
import type { CouponRecord } from '../../store/coupons.ts'
import type { LedgerEntry } from '../../store/ledger.ts'

export function toCustomerReply({ customer, cards, balances, tiers }: CustomerView) {
  const { phone, email, fullname } = customer
  return {
    id: customer.id,
    data: { phone, email, fullname },
    collectables: toCollectables(balances),
    opaqueId: customer.opaqueId ?? null,
    status: customer.status,
    metaData: customer.metaData,
    consents: toConsentsReply(customer),
    language: customer.language,
    verified: {
      email: customer.emailVerifiedAt !== undefined,
      phone: customer.phoneVerifiedAt !== undefined,
    },
    bounced: {
      email: customer.emailBouncedAt !== undefined,
      phone: customer.phoneBouncedAt !== undefined,
    },
    createdAt: customer.createdAt.toISOString(),
    updatedAt: customer.updatedAt.toISOString(),
    cards: cards.map(toCardReply),
    tiers: tiers.map(({ campaign, key, name }) => ({ campaign, key, name })),
  }
}

export function toConsentsReply({ consents, consentHistory = [] }: Customer) {
  if (!consents && consentHistory.length === 0) return undefined
  return {
    ...consents,
    history: consentHistory.map(({ at, ...change }) => ({ ...change, at: at.toISOString() })),
  }
}

function toCustomerWithCouponsReply(view: CustomerView) {
  return Object.assign(toCustomerReply(view), { coupons: view.coupons.map(toCouponReply) })
}

export function toFoundCustomerReply(found: FoundCustomer) {
  return Object.assign(toCustomerWithCouponsReply(found), { matchedCard: found.matchedCard })
}

export function toCustomerWithExpiryReply(view: CustomerView) {
  return {
    ...toCustomerWithCouponsReply(view),
    expiring: view.expiring.map(({ key, amount, decimals, at }) => ({
      key,
      amount: fromUnits(amount, decimals),
      at: at.toISOString(),
    })),
  }
}

export function toCollectables(balances: readonly BalanceView[]) {
  return Object.fromEntries(
    balances.map(({ key, value, total, decimals }) => [
      key,
      { value: fromUnits(value, decimals), total: fromUnits(total, decimals) },
    ]),
  )
}

export function toCardReply(card: Card) {
  return {
    id: card.id,
    barcode: card.barcode,
    status: card.status,
    awaitsApproval: card.awaitsApproval ? (true as const) : undefined,
    campaign: card.campaign,
    campaignName: card.campaignName,
    // Replaced with the URL just before the response is sent, see `wallet-urls.ts`.
    walletVersion: isLive(card) && card.walletVersion > 0 ? card.walletVersion : undefined,
    createdAt: card.createdAt.toISOString(),
  }
}

export function toCouponReply(
  coupon: Pick<Coupon, 'reward' | 'expiresAt' | 'campaign'> & { id: string; status: number },
) {
  return {
    id: coupon.id,
    status: coupon.status,
    reward: coupon.reward,
    expiresAt: coupon.expiresAt?.toISOString(),
    campaign: coupon.campaign,
  }
}

export function toCouponRecordReply(coupon: CouponRecord, now: Date) {
  return {
    ...toCouponReply({ ...coupon, status: couponStatusAt(coupon, now) }),
    customer: coupon.customer,
    grantedBy: coupon.grantedBy,
    redeemedBy: coupon.redeemedBy,
    createdAt: coupon.createdAt.toISOString(),
    endedAt: coupon.endedAt?.toISOString(),
  }
}

export function toLedgerEntryReply(entry: LedgerEntry) {
  return {
    key: entry.key,
    version: entry.version,
    kind: entry.kind,
    amount: fromUnits(entry.amount, entry.decimals),
    value: fromUnits(entry.valueAfter, entry.decimals),
    total: fromUnits(entry.totalAfter, entry.decimals),
    transaction: entry.transaction,
    campaign: entry.campaign,
    rule: entry.rule,
    reason: entry.reason,
    user: entry.user,
    createdAt: entry.createdAt.toISOString(),
  }
}
