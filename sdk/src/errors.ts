import type { PendingWrite } from './pending.ts'
import type { ErrorBody, RefusalCode } from './types.ts'

/** The service has refused a request, which changed nothing. */
export class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly code: RefusalCode
  readonly status: number
  /** Quote it when you report a problem. */
  readonly requestId: string
  /** The property at fault, if it is one. */
  readonly field: string | undefined
  /** Everything that the service said. */
  readonly body: ErrorBody

  constructor(body: ErrorBody) {
    super(`${body.message}: ${body.description} (request ${body.requestId})`)
    this.code = body.message
    this.status = body.statuscode
    this.requestId = body.requestId
    this.field = body.field
    this.body = body
  }
}

/** Whether an error is a refusal, and one of these codes if any are named. */
export function isRefusal<C extends RefusalCode = RefusalCode>(
  error: unknown,
  ...codes: readonly C[]
): error is Refusal & { readonly code: C } {
  return error instanceof Refusal && (codes.length === 0 || (codes as readonly string[]).includes(error.code))
}

/** The service could not be reached, or did not say what became of the request. Reading again is always safe. */
export class Unavailable extends Error {
  override readonly name: string = 'Unavailable'
  readonly requestId: string | undefined

  constructor(
    message: string,
    options: { readonly cause?: unknown; readonly requestId?: string | undefined },
  ) {
    super(message, { cause: options.cause })
    this.requestId = options.requestId
  }
}

/**
 * Nobody knows whether a write has happened. It is kept: `settle(error.pending)` sends it again, which does it at
 * most once and returns what became of it.
 */
export class OutcomeUnknown extends Unavailable {
  override readonly name = 'OutcomeUnknown'
  readonly pending: PendingWrite

  constructor(
    pending: PendingWrite,
    options: { readonly cause?: unknown; readonly requestId?: string | undefined },
  ) {
    super(`It is not known whether ${pending.operation} has happened. Call settle() to find out.`, options)
    this.pending = pending
  }
}
