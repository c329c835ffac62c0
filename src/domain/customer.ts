import type { ConsentChange, Consents } from './consents.ts'
import type { Coupon } from './coupon.ts'
import type { CampaignId, CardId, CustomerId } from './ids.ts'
import type { Language } from './language.ts'

export const customerStatus = { active: 1, blocked: 2, erased: 3 } as const
export const cardStatus = { active: 1, blocked: 2, replaced: 3, closed: 4 } as const

export interface Profile {
  /** E.164. */
  readonly phone?: string
  readonly email?: string
  readonly fullname?: string
  readonly metaData?: Record<string, unknown>
  readonly consents?: Consents
  /** How the consents came about, oldest first. */
  readonly consentHistory?: readonly ConsentChange[]
  readonly opaqueId?: string
  /** In which they are written to; that of the organization without it. */
  readonly language?: Language
  /** When a code came back from the address. */
  readonly emailVerifiedAt?: Date
  readonly phoneVerifiedAt?: Date
}

/** Only an address that stays the same stays verified. */
export const stillVerified = (
  before: Profile,
  { email, phone }: Pick<Profile, 'email' | 'phone'>,
): Pick<Profile, 'emailVerifiedAt' | 'phoneVerifiedAt'> => ({
  emailVerifiedAt:
    email && before.email && emailKey(email) === emailKey(before.email) ? before.emailVerifiedAt : undefined,
  phoneVerifiedAt: phone === before.phone ? before.phoneVerifiedAt : undefined,
})

export interface Customer extends Profile {
  readonly id: CustomerId
  /** When a message came back from the address, which has been the same since. */
  readonly emailBouncedAt?: Date
  readonly phoneBouncedAt?: Date
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
  /** Whether it is blocked because nobody has approved yet that its customer enrolled. */
  readonly awaitsApproval?: boolean
  /** Version of the wallet page URL; 0 means the page is revoked. */
  readonly walletVersion: number
  /** Only for a replaced card. */
  readonly replacedBy?: CardId
  readonly createdAt: Date
}

/** Whether the card is active or blocked. At most one card per customer and campaign is live. */
export function isLive({ status }: Pick<Card, 'status'>): boolean {
  return status === cardStatus.active || status === cardStatus.blocked
}

/** The card to use instead of this one: the newest replacement, however many there were, or the card itself. */
export function newestOf(card: Card, cards: readonly Card[]): Card {
  const next = cards.find(({ id }) => id === card.replacedBy)
  return next ? newestOf(next, cards) : card
}

/** Wallet page version of a new card. */
export const firstWalletVersion = 1

export interface BalanceView {
  readonly key: string
  readonly decimals: number
  readonly value: number
  readonly total: number
}

/** A tier that a customer holds in a campaign. */
export interface HeldTier {
  readonly campaign: CampaignId
  readonly key: string
  readonly name: string
}

/** A customer as tills and merchants see it. */
export interface CustomerView {
  readonly customer: Customer
  /** Those that can be used come first, then blocked ones, then the rest; the oldest first in each group. */
  readonly cards: readonly Card[]
  readonly balances: readonly BalanceView[]
  /** What is held now in the campaigns that run on the customer's cards. */
  readonly tiers: readonly HeldTier[]
  /** The coupons that can be redeemed now. */
  readonly coupons: readonly Coupon[]
  /** What expires when, soonest first. */
  readonly expiring: readonly {
    readonly key: string
    readonly decimals: number
    readonly amount: number
    readonly at: Date
  }[]
}

/**
 * A plausible address, or nothing; only sending a message could tell whether it exists. Invisible
 * characters are not allowed: two addresses that look the same would be two customers.
 */
export const customerEmail =
  /^\s*$|^\s*[^\s@\p{Cc}\p{Cf}]{1,64}@[^\s@\p{Cc}\p{Cf}.]+(?:\.[^\s@\p{Cc}\p{Cf}.]+)+\s*$/u

/** Email addresses are compared regardless of case and of how accents are composed. */
export function emailKey(email: string): string {
  // Composed again after lowercasing: some capital letters exist only as two code points, their lowercase as
  // one.
  return email.normalize('NFC').toLowerCase().normalize('NFC')
}
