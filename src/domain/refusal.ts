/**
 * Refusals are part of the contract: the closed list of reasons for which the service says no.
 *
 * When several apply: who calls is checked first, before the body is read, then the shape of the request. From
 * there on the order of the list is the order in which they win: the customer, the card, references, coupons and
 * points. Codes are never renamed.
 */
export const refusals = {
  _invalid_payload:
    'The body, the query or a header does not have the right shape. `description` names the member.',
  _unauthorized: 'The Bearer token is missing, or somebody else signed it. Get one with `POST /auth/token`.',
  _jwt_malformed: 'The access token is not a JWT. Send the `accessToken` of `POST /auth/token` unchanged.',
  _jwt_expired:
    'The access token is past its expiry. Call `POST /auth/refreshtoken`, or ask for a new token.',
  _invalid_credentials:
    'The API key and the secret do not belong together, or the e-mail address and the password do not.',
  _invalid_refresh_token:
    'The refresh token is unknown, expired or already rotated. Ask for a new token with the credentials.',
  invalid_subscription: 'The organization has no active subscription. Its operator can switch it on.',
  _forbidden: 'The connection or the user lacks the scope or role for this call.',
  _not_found: 'There is no such route. See `/docs` for the ones there are.',
  _method_not_allowed: 'The route exists, but not with this method. `Allow` lists the ones it takes.',
  _payload_too_large: 'The body is larger than 256 KiB.',
  _unsupported_media_type: 'The body is not JSON. Send `Content-Type: application/json`.',
  _too_many_requests: 'Too many calls. Wait for the seconds in `Retry-After`.',
  _unavailable:
    'The service cannot do this right now. Repeat the call with the same idempotency key after `Retry-After`.',
  _internal_error: 'A bug on our side. The `X-Request-Id` of the reply finds it in the logs.',
  idempotency_key_reused:
    'The `Idempotency-Key` was used before with another body. Use a new key for a new call.',
  idempotency_key_in_use: 'A call with this `Idempotency-Key` is still running. Repeat it in a moment.',
  organization_not_found: 'No such organization.',
  integration_not_found: 'No such integration.',
  connection_not_found: 'No such connection.',
  person_not_found: 'No such person in this organization.',
  existing_person_with_email:
    'The e-mail address already belongs to a person, of this organization or of another one.',
  too_many_people: 'The organization has 1,000 people, which is as many as it can have.',
  last_owner: 'The last active owner of an organization can be neither demoted, blocked nor removed.',
  invalid_invitation: 'The invitation was used, has expired, or was replaced by a newer one.',
  too_many_connections:
    'The organization has 100 connections that are not revoked, which is as many as it can have.',
  connection_revoked: 'The connection was revoked.',
  request_not_found: 'No such call in the log, or it is too old.',
  invalid_campaign:
    'No published campaign matches `campaignId`, or the campaign is in a state that does not allow this.',
  invalid_campaign_definition:
    'The campaign does not make sense. `description` names the place and the reason.',
  campaign_not_found: 'No such campaign.',
  customer_not_found: 'No such customer in this organization.',
  customer_not_active: 'The customer is blocked.',
  invalid_phone:
    "The phone number is not valid. Send it in international form, or in the national form of the organization's country.",
  existing_customer_with_email:
    'The e-mail address already belongs to a customer. Find that customer and register it by `customer.id`.',
  existing_customer_with_phone:
    'The phone number already belongs to a customer. Find that customer and register it by `customer.id`.',
  opaque_id_already_exists: 'The `opaqueId` is already used.',
  card_not_found: 'The customer has no such card.',
  card_not_active: 'The card is blocked, replaced or closed.',
  transaction_not_found: 'No such transaction.',
  transaction_already_exists: 'The receipt number (`opaqueId`) was used before with another body.',
  invalid_product: 'The product is unknown, and the organization takes only known references.',
  invalid_user: 'The user is unknown, and the organization takes only known references.',
  invalid_branch: 'The branch is unknown, and the organization takes only known references.',
  product_not_found: 'No such product.',
  user_not_found: 'No such user.',
  branch_not_found: 'No such branch.',
  coupon_not_found: 'The customer has no such coupon.',
  coupon_already_redeemed: 'The coupon was redeemed before.',
  coupon_expired: 'The coupon is past its expiry.',
  coupon_revoked: 'The coupon was taken back.',
  coupon_not_applicable: 'The coupon does not fit this line or basket, or is named twice in it.',
  points_not_spendable: 'The card has no balance that points can be spent from.',
  insufficient_points: 'The balance holds less than that.',
  points_below_minimum: 'Fewer points than the campaign lets one spend.',
  points_above_share: 'More points than the campaign lets pay for this basket.',
  return_exceeds_sale: 'Nothing is left of the sale, or less than the return names.',
} as const satisfies Record<string, string>

export type RefusalCode = keyof typeof refusals

/** A refusal as data: what pure code returns. */
export interface Refusal {
  readonly code: RefusalCode
  /** What exactly was wrong in this call. */
  readonly description?: string
  /** The same as data, where it takes words of the API to say it. */
  readonly problem?: Problem
}

/**
 * What was wrong with a value that was decided on. The place is given in the words of the domain, such as
 * `['lines', 3, 'unitPrice']`; `http` knows what clients call it.
 */
export type Problem =
  | { readonly kind: 'too_many_decimals'; readonly at: Place; readonly most: number }
  | { readonly kind: 'too_small'; readonly at: Place; readonly least: number }
  | { readonly kind: 'not_positive'; readonly at: Place }
  | { readonly kind: 'too_large'; readonly at: Place; readonly most: number }
  | { readonly kind: 'sum_too_large'; readonly at: Place; readonly most: number }
  | { readonly kind: 'empty'; readonly at: Place }
  | { readonly kind: 'unknown_line'; readonly at: Place; readonly line: string }
  | { readonly kind: 'too_little_left'; readonly at: Place; readonly line: string }
  | { readonly kind: 'nothing_left' }
  | { readonly kind: 'balance_too_large'; readonly balance: string; readonly most: number }
  | { readonly kind: 'coupon'; readonly coupon: string }

export type Place = readonly (string | number)[]

/** A refusal on its way out: what operations throw and `http` renders. */
export class Refused extends Error {
  readonly code: RefusalCode
  readonly description: string | undefined
  readonly problem: Problem | undefined
  /** `path` when the thing refused was named in the path or the query: its absence is then a 404, not a 400. */
  readonly place: 'body' | 'path'
  /** When trying again may help, if that is known. */
  retryAfterSeconds: number | undefined

  constructor(code: RefusalCode, description?: string, place: 'body' | 'path' = 'body', problem?: Problem) {
    // Nobody reads the stack of a refusal, and taking it is a seventh of what refusing a flood costs.
    const { stackTraceLimit } = Error
    Error.stackTraceLimit = 0
    super(description ? `${code}: ${description}` : code)
    Error.stackTraceLimit = stackTraceLimit
    this.code = code
    this.description = description
    this.problem = problem
    this.place = place
  }

  /** A refusal that pure code returned. */
  static from({ code, description, problem }: Refusal): Refused {
    return new Refused(code, description, 'body', problem)
  }

  after(seconds: number): this {
    this.retryAfterSeconds = seconds
    return this
  }
}
