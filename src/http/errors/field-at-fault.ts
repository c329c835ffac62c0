/** Finds the property of a request that a refusal is about, as a client writes it: `items[0].quantity`. */
import type { Refused } from '../../domain/refusal.ts'
import { toPlace } from '../../domain/validation-error.ts'
import { apiPlace } from './describe-problem.ts'

type Path = readonly (string | number)[]

const phone: readonly Path[] = [
  ['customer', 'data', 'phone'],
  ['data', 'phone'],
]
const email: readonly Path[] = [['customer', 'data', 'email'], ['data', 'email'], ['email']]
const customer: readonly Path[] = [['customer', 'id'], ['customer'], ['barcode']]
const card: readonly Path[] = [['card'], ['barcode']]
const points: readonly Path[] = [['pointsToSpend']]

/** Where the property can be; the first of them that the body has is the one. */
const places: Partial<Record<Refused['code'], readonly Path[]>> = {
  invalid_campaign: [['campaignId']],
  campaign_not_found: [['campaign']],
  customer_not_found: customer,
  customer_not_active: customer,
  invalid_phone: phone,
  existing_customer_with_phone: phone,
  existing_customer_with_email: email,
  existing_person_with_email: email,
  opaque_id_already_exists: [['customer', 'opaqueId'], ['opaqueId']],
  transaction_already_exists: [['opaqueId']],
  transaction_archived: [['opaqueId']],
  card_not_found: card,
  card_not_active: card,
  invalid_user: [['user']],
  invalid_branch: [['branch']],
  integration_not_found: [['integration']],
  points_not_spendable: points,
  insufficient_points: points,
  points_below_minimum: points,
  points_above_share: points,
  _invalid_refresh_token: [['refreshToken']],
  weak_password: [['password']],
}

export function fieldAtFault(
  { code, problem, description, place }: Refused,
  { body, query }: { readonly body?: unknown; readonly query?: unknown },
): string | undefined {
  if (problem && 'at' in problem) return apiPlace(problem.at)
  if (problem && 'coupon' in problem) return couponPlace(problem.coupon, body)
  const named = description === undefined ? undefined : placeIn(description)
  if (named !== undefined) return named
  // What the path or the query names is not in the body.
  const sent = place === 'path' ? query : body
  const found = places[code]?.find((path) => valueAt(sent, path) !== undefined)
  return found && toPlace(found)
}

/** A description that is about one property begins with it: `from: must be a day.` */
function placeIn(description: string): string | undefined {
  return /^([A-Za-z][\w-]*(?:\[\d+\]|\.[\w-]+)*): /.exec(description)?.[1]
}

function couponPlace(coupon: string, body: unknown): string | undefined {
  const { reward, items } = (body ?? {}) as { reward?: unknown; items?: unknown }
  if ([reward].flat().includes(coupon)) return 'reward'
  if (!Array.isArray(items)) return undefined
  const at = items.findIndex((item) =>
    [(item as { reward?: unknown } | null)?.reward].flat().includes(coupon),
  )
  return at < 0 ? undefined : toPlace(['items', at, 'reward'])
}

function valueAt(body: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (at, name) => (typeof at === 'object' && at !== null ? (at as Record<string, unknown>)[name] : undefined),
    body,
  )
}
