import type { Coupon } from './coupon.ts'
import type { CampaignId, CardId, CustomerId } from './ids.ts'

export const customerStatus = { active: 1, blocked: 2, erased: 3 } as const
export const cardStatus = { active: 1, blocked: 2, replaced: 3, closed: 4 } as const

export interface Profile {
  /** E.164. */
  readonly phone?: string
  readonly email?: string
  readonly fullname?: string
  readonly metaData?: Record<string, unknown>
  readonly consents?: Record<string, unknown>
  readonly opaqueId?: string
}

export interface Customer extends Profile {
  readonly id: CustomerId
  readonly status: number
  readonly createdAt: Date
  readonly updatedAt: Date
}

export interface Card {
  readonly id: CardId
  readonly customer: CustomerId
  readonly campaign: CampaignId
  readonly campaignName: string
  readonly barcode: string
  readonly status: number
  /** Of the address of its wallet page; 0: it has none. */
  readonly walletVersion: number
  readonly createdAt: Date
}

/** Of the cards of a customer in one campaign at most one is. */
export function isLive({ status }: Pick<Card, 'status'>): boolean {
  return status === cardStatus.active || status === cardStatus.blocked
}

/** What a card's address begins with. */
export const firstWalletVersion = 1

export interface BalanceView {
  readonly key: string
  readonly decimals: number
  readonly value: number
  readonly total: number
}

/** A customer as a till or a merchant sees it. */
export interface CustomerView {
  readonly customer: Customer
  readonly cards: readonly Card[]
  readonly balances: readonly BalanceView[]
  /** The coupons that can be redeemed now. */
  readonly coupons: readonly Coupon[]
  /** What goes when, soonest first. */
  readonly expiring: readonly {
    readonly key: string
    readonly decimals: number
    readonly amount: number
    readonly at: Date
  }[]
}

/** E-mails are compared without regard to case or to how accents are composed. */
export function emailKey(email: string): string {
  // Composed again afterwards: some capitals exist only in two parts, and their small letters in one.
  return email.normalize('NFC').toLowerCase().normalize('NFC')
}
