/** Codes that are sent to an address of a customer, to know that it is theirs. */
import type { CustomerId } from './ids.ts'
import type { Channel, CodePurpose } from './message.ts'

export interface CodeKey {
  readonly customer: CustomerId
  readonly channel: Channel
  readonly purpose: CodePurpose
}

export interface ContactCode extends CodeKey {
  /** Only of an address that is not confirmed yet. */
  readonly address?: string
  readonly hash: Buffer
  readonly failures: number
  readonly sentAt: Date
  readonly expiresAt: Date
}

export const codeValidMs = 600_000
/** With a million codes, five attempts for each, and a few codes an hour, guessing takes years. */
export const maxCodeFailures = 5
/** Until another one is sent to the same address. */
export const codePauseMs = 60_000
/** To one address, for all purposes and all who ask: five at once, and one more every twelve minutes. */
export const codeCost = { seconds: 720, atOnce: 5 } as const
