/**
 * What a file that is imported consists of, once its columns are understood: rows with the number that they have in
 * the file. The same shape is sent to the service, and comes back from an export.
 */
export const importKinds = ['customers', 'products', 'branches'] as const
export type ImportKind = (typeof importKinds)[number]

/** The most rows that are sent together. */
export const maxRowsAtOnce = 500

export interface ImportLot {
  /** With the decimals of the balance. */
  readonly amount: number
  /** A time, or a day, which it is still good for. Without it, the amount does not expire on its own. */
  readonly expiresAt?: string
}

export interface ImportBalance {
  readonly key: string
  /** What was ever collected, for tiers. */
  readonly total?: number
  readonly lots: readonly ImportLot[]
}

export interface ImportCard {
  /** ID or name; that of the import without it. */
  readonly campaign?: string
  /** A new one is made without it. */
  readonly barcode?: string
}

export interface ImportRow {
  readonly row: number
  /** What is wrong with the row as far as the file alone shows. */
  readonly problems?: readonly RowProblem[]
  readonly opaqueId?: string
  // Customers.
  readonly fullname?: string
  readonly email?: string
  readonly phone?: string
  readonly language?: string
  readonly consents?: Readonly<Record<string, boolean>>
  readonly metaData?: Record<string, unknown>
  readonly cards?: readonly ImportCard[]
  readonly balances?: readonly ImportBalance[]
  // Products and branches.
  readonly name?: string
  readonly category?: string
  readonly price?: number
}

/** Why a row is rejected, with a sentence for each. */
export const problemCodes = {
  unreadable: 'The row cannot be read.',
  missing: 'A value is missing.',
  invalid: 'The value is not valid.',
  too_long: 'The value is too long.',
  duplicate: 'An earlier row has the same value.',
  taken: 'The value belongs to another customer.',
  unknown: 'There is no such campaign or balance.',
  past: 'The date is in the past.',
  differs: 'The customer has another value already, which an import does not change.',
  blocked: 'The customer is blocked.',
} as const

export type ProblemCode = keyof typeof problemCodes

export interface RowProblem {
  /** Such as `email`, or `balances.points`. */
  readonly field: string
  readonly code: ProblemCode
  /** The earlier row, for a duplicate. */
  readonly otherRow?: number
}

export interface ImportCounts {
  readonly created: number
  readonly updated: number
  readonly unchanged: number
  readonly rejected: number
}

/** Letters and digits that every printer of barcodes can draw. */
export const foreignBarcode = /^[\x21-\x7e]{4,64}$/

/** What the problem is, in a sentence for people. */
export function describeProblem({ field, code, otherRow }: RowProblem): string {
  const reason = sentences[code]
  return `${field}: ${otherRow === undefined ? reason : `the same as in row ${otherRow}.`}`
}

const sentences: Record<ProblemCode, string> = {
  unreadable: 'the row cannot be read; it may have more cells than the header, or no valid JSON.',
  missing: 'a value is missing.',
  invalid: 'the value is not valid.',
  too_long: 'the value is too long.',
  duplicate: 'an earlier row has the same value.',
  taken: 'the value belongs to another customer.',
  unknown: 'there is no such campaign or balance; choose the campaign of the cards.',
  past: 'the date is in the past.',
  differs: 'the customer has another value already. Change it by hand.',
  blocked: 'the customer is blocked. Unblock them first.',
}
