import type { OrganizationId } from './ids.ts'

/** The branch every organization starts with, used by its service accounts and by users without a branch. */
export const mainBranch = 'main'

/** What a connection may do: what a till needs (`pos`), or everything else in the organization (`manage`). */
export type ScopeName = 'pos' | 'manage'

/** Whether it is about real customers. */
export type Mode = 'live' | 'test'

export const modeOf = ({ testOf }: Pick<Organization, 'testOf'>): Mode =>
  testOf === undefined ? 'live' : 'test'

export interface Organization {
  /** The number that leads every key in the database; outside it appears only in tokens that only we read. */
  readonly orgId: number
  readonly id: OrganizationId
  readonly name: string
  /** ISO 3166-1 alpha-2; the region of phone numbers that are written without a country code. */
  readonly country: string
  /** ISO 4217. */
  readonly currency: string
  readonly currencyDecimals: number
  /** IANA name; days and times of rules are interpreted in it. */
  readonly timezone: string
  readonly locale: string
  readonly color?: string
  /** Refuse products, users and branches that are not in the directory instead of adding them. */
  readonly strictReferences: boolean
  /** How many days in the past a sale may have happened that is processed now. */
  readonly maxBackdateDays: number
  readonly isSubscribed: boolean
  readonly isDemo: boolean
  /** The live organization that a test organization belongs to, by its number; undefined for a live one. */
  readonly testOf?: number
  /** How far the clock of a test organization is ahead of the real one; 0 for a live one. */
  readonly aheadMs: number
  readonly createdAt: Date
  readonly updatedAt: Date
}

/** What customers are told about the merchant. */
export interface OrganizationContact {
  readonly address?: string
  readonly openingHours?: string
  readonly phone?: string
  readonly email?: string
  readonly website?: string
  readonly termsUrl?: string
  readonly privacyUrl?: string
  /** What customers agree to who want to get offers, in the merchant's words. */
  readonly consentText?: string
}

/** With what is not read with every request: the logo alone is up to 64 KB. */
export interface ShownOrganization extends Organization {
  readonly logo: string | undefined
  readonly contact: OrganizationContact
}
