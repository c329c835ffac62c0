import type { OrganizationId } from './ids.ts'

/** The branch every organization starts with: its service accounts' branch, and the one of users who have none. */
export const mainBranch = 'main'

/** What a connection may do: what a till needs, or everything else of the organization. */
export type ScopeName = 'pos' | 'manage'

export interface Organization {
  /** The number that leads every key in the database; outside it stands only in tokens that we alone read. */
  readonly orgId: number
  readonly id: OrganizationId
  readonly name: string
  /** ISO 3166-1 alpha-2; the region of phone numbers written without a country code. */
  readonly country: string
  /** ISO 4217. */
  readonly currency: string
  readonly currencyDecimals: number
  /** IANA name; days and times of rules are read in it. */
  readonly timezone: string
  readonly locale: string
  readonly color?: string
  /** Refuse products, users and branches that are not in the directory, instead of adding them. */
  readonly strictReferences: boolean
  readonly isSubscribed: boolean
  readonly isDemo: boolean
  readonly createdAt: Date
  readonly updatedAt: Date
}

/** With the image itself, which is up to 64 KB and so not read with every call. */
export interface ShownOrganization extends Organization {
  readonly logo: string | undefined
}
