/** What would be made of a message, without recording anything. */
import type { Made } from '../../adapters/made.ts'
import { nothingReasons } from '../../adapters/made.ts'
import { Refused } from '../../domain/refusal.ts'
import type { ReceivedProblem } from '../../domain/source.ts'
import type { StoredSource } from '../../store/sources.ts'
import type { Preview } from '../baskets/job.ts'
import type { BasketProcessor } from '../baskets/process.ts'
import type { Caller, Deps } from '../deps.ts'
import { makeOfContent, problemOf } from './make-of-message.ts'
import { findBuyerOf, NotRecorded, toRequest } from './record-made.ts'
import { callerOf } from './record-received.ts'

export interface Trial {
  readonly made?: Made
  /** What the sale would do. */
  readonly preview?: Preview
  readonly problem?: ReceivedProblem
}

export async function trySource(
  deps: Deps,
  baskets: Pick<BasketProcessor, 'validate'>,
  { organization }: Caller,
  source: StoredSource,
  message: { readonly topic?: string; readonly payload: unknown; readonly mapping?: string },
): Promise<Trial> {
  const sender = { kind: source.kind, mapping: message.mapping ?? source.mapping }
  const { payload } = message
  const content = source.kind === 'square' ? { order: payload, customer: Object(payload).customer } : payload
  const { made, problem } = await makeOfContent(deps, organization, sender, {
    topic: message.topic,
    payload: content,
  })
  if (problem || !made) return { made, problem: problem ?? problemOf('invalid_mapping_result') }
  if (made.type === 'nothing') {
    return { made, problem: { code: made.reason, text: nothingReasons[made.reason] } }
  }
  if (made.type === 'return') return { made }
  try {
    const caller = callerOf(source, organization)
    const recording = { ...source, registersCustomers: false, receivedAt: new Date(0) }
    const buyer = await findBuyerOf(deps, caller, recording, made, { hasRecorded: false })
    return { made, preview: await baskets.validate(caller, toRequest(made, buyer)) }
  } catch (error) {
    if (error instanceof NotRecorded) return { made, problem: { code: error.code, text: error.message } }
    if (!(error instanceof Refused)) throw error
    return { made, problem: { code: error.code, text: error.description ?? error.message } }
  }
}
