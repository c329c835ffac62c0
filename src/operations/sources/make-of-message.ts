/** What a message means: a sale, a return, or nothing. Fetches what it only names, and runs the merchant's mapping. */
import { checkMade } from '../../adapters/json.ts'
import { type Made, nothingReasons } from '../../adapters/made.ts'
import { makeOfShopify } from '../../adapters/shopify.ts'
import { excerptOfCustomer, excerptOfOrder, makeOfSquare } from '../../adapters/square.ts'
import type { SourceId } from '../../domain/ids.ts'
import type { Organization } from '../../domain/organization.ts'
import { type ReceivedProblem, type ReceivedProblemCode, receivedProblems } from '../../domain/source.ts'
import type { StoredSource } from '../../store/sources.ts'
import type { Deps } from '../deps.ts'
import { accessTokenPlaceOf } from './manage-sources.ts'
import { fetchSquareOrder, type SquareOrder } from './square-client.ts'

export interface Meaning {
  readonly made?: Made
  /** Why nothing was made, if that is a fault. */
  readonly problem?: ReceivedProblem
  /** Whether another attempt may succeed. */
  readonly isPassing?: boolean
  /** What was fetched, to be kept with the message. */
  readonly payload?: unknown
}

export const problemOf = (code: ReceivedProblemCode, text?: string): ReceivedProblem => ({
  code,
  text: text ?? receivedProblems[code],
})

type Sender = Pick<StoredSource, 'kind' | 'mapping'>

export async function makeOfMessage(
  deps: Deps,
  organization: Pick<Organization, 'id'>,
  source: StoredSource,
  { topic, payload }: { readonly topic?: string; readonly payload: unknown },
): Promise<Meaning> {
  if (source.kind !== 'square') return makeOfContent(deps, organization, source, { topic, payload })
  const accessToken = openAccessToken(deps, source.id, source.sealedAccessToken)
  if (accessToken.problem) return { problem: problemOf(accessToken.problem) }
  const host = deps.squareHosts[source.environment ?? 'production']
  // With every attempt: the order may have been paid since.
  const { event = payload } = Object(payload) as { event?: unknown }
  const fetched = await fetchSquareOrder(host, accessToken.token, event)
  if (!fetched) return { made: { type: 'nothing', reason: 'other_topic' } }
  if ('problem' in fetched) {
    return { problem: problemOf(fetched.problem), isPassing: fetched.problem === 'vendor_unreachable' }
  }
  const kept = {
    event,
    order: excerptOfOrder(fetched.order),
    customer: fetched.customer === undefined ? undefined : excerptOfCustomer(fetched.customer),
  }
  return { ...(await makeOfContent(deps, organization, source, { topic, payload: kept })), payload: kept }
}

type OpenedToken =
  | { readonly token: string; readonly problem?: undefined }
  | { readonly problem: ReceivedProblemCode }

function openAccessToken({ seal }: Deps, id: SourceId, sealed: Buffer | undefined): OpenedToken {
  if (!sealed) return { problem: 'no_access_token' }
  const token = seal.open(sealed, accessTokenPlaceOf(id))?.toString('utf8')
  return token === undefined ? { problem: 'secret_unreadable' } : { token }
}

/** What everything is there for. */
export async function makeOfContent(
  deps: Deps,
  organization: Pick<Organization, 'id'>,
  { kind, mapping = '' }: Sender,
  { topic, payload }: { readonly topic?: string; readonly payload: unknown },
): Promise<Meaning> {
  if (kind === 'shopify') return meaningOf(makeOfShopify(topic, payload))
  if (kind === 'square') return meaningOf(makeOfSquare(topic, payload as SquareOrder))
  const mapped = { org: organization.id, expression: mapping, payload, topic }
  const run = await deps.mappings.run(mapped)
  if ('problem' in run) return { problem: run.problem }
  const made = checkMade(run.value)
  return made.type === 'problem' ? { problem: problemOf(made.code, made.text) } : meaningOf(made)
}

function meaningOf(made: Made): Meaning {
  if (made.type !== 'nothing' || made.reason !== 'unreadable') return { made }
  const text = nothingReasons.unreadable
  return { made, problem: { code: 'unreadable', text: made.field ? `${text} (${made.field})` : text } }
}
