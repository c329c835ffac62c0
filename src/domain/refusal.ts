import type { CustomerId, TransactionId } from './ids.ts'

/**
 * Refusals are part of the contract: the closed list of reasons why the service rejects a request, each with
 * one sentence that says when. The advice to clients lives in `http`, which knows about endpoints and
 * headers.
 *
 * If several apply, authentication is checked first, before the body is read, then the shape of the request.
 * After that, the order of this list is the order of precedence: the customer, the card, references, coupons
 * and points. Codes are never renamed.
 */
export const refusals = {
  _invalid_payload: 'The body, the query or a header is invalid.',
  _unauthorized:
    'The access token is missing, was not issued by this service, or was opened by a connection, secret or key that has ended.',
  _jwt_malformed: 'The access token is not a JWT.',
  _jwt_expired: 'The access token has expired.',
  _invalid_credentials: 'The API key and secret, or the email address and password, do not match.',
  _invalid_refresh_token: 'The refresh token is unknown, expired, already used or has ended.',
  invalid_subscription: 'The organization has no active subscription.',
  _forbidden: 'The connection or the user lacks the scope or role that this request needs.',
  _not_found: 'No route matches this path.',
  _method_not_allowed: 'The route does not support this method.',
  _payload_too_large: 'The body is larger than 256 KiB.',
  _unsupported_media_type: 'The body is not JSON.',
  _too_many_requests: 'Too many requests.',
  _unavailable: 'The service is temporarily unavailable.',
  _internal_error: 'An unexpected error occurred on our side.',
  idempotency_key_reused: 'The idempotency key was already used with a different body.',
  idempotency_key_in_use: 'A request with this idempotency key is still in progress.',
  organization_not_found: 'The organization does not exist.',
  integration_not_found: 'The integration does not exist.',
  connection_not_found: 'The connection does not exist.',
  person_not_found: 'The organization has no such person.',
  existing_person_with_email:
    'The email address already belongs to a person in this or another organization.',
  too_many_people: 'The limit of 1,000 people per organization is reached.',
  last_owner: 'The last active owner of an organization cannot be demoted, blocked or removed.',
  invalid_invitation: 'The invitation was already used, has expired or was replaced by a newer one.',
  weak_password: 'The password is easy to guess.',
  too_many_connections: 'The limit of 100 active connections per organization is reached.',
  connection_revoked: 'The connection was revoked.',
  live_organization_required: 'The organization is itself a test organization.',
  test_organization_required: 'Only a test organization has a clock that can be set.',
  test_organization_not_found: 'The organization has no such test organization.',
  too_many_test_organizations: 'The limit of 10 test organizations is reached.',
  webhook_not_found: 'The webhook does not exist.',
  webhook_paused: 'The webhook is paused, so nothing is sent to it.',
  too_many_webhooks: 'The limit of 1,000 webhooks per organization is reached.',
  sender_not_found: 'The organization has not set up a sender for this channel.',
  message_not_found: 'The message does not exist, or is too old to be kept.',
  message_kind_not_found: 'There is no such kind of message.',
  message_already_sent: 'The message was sent, or is being sent.',
  import_not_found: 'The import does not exist.',
  import_finished: 'The import is finished, so it takes no more rows.',
  import_rows_differ: 'Rows of the import that were sent before had other contents.',
  source_not_found: 'The source does not exist.',
  too_many_sources: 'The limit of 100 sources per organization is reached.',
  received_message_not_found: 'The received message does not exist, or is too old to be kept.',
  received_message_not_kept: 'What the message contained is no longer kept.',
  invalid_signature: 'The signature or the secret of the sender does not match.',
  delivery_not_found: 'The delivery does not exist, or is too old to be kept.',
  event_not_kept: 'The event is too old to be kept, so it cannot be sent again.',
  request_not_found: 'The request is not in the log, or is too old to be kept.',
  cursor_expired: 'Events after this cursor are no longer kept.',
  invalid_campaign: "No published campaign has this ID, or the campaign's status does not allow this.",
  invalid_campaign_definition: 'The campaign definition is inconsistent.',
  campaign_not_found: 'The campaign does not exist.',
  short_name_taken: 'Another enrollment page has this short name.',
  enrollment_closed: 'Customers cannot enroll themselves at the moment.',
  invalid_proof: 'The proof of work is wrong, too old or used.',
  customer_not_found: 'The organization has no such customer.',
  customer_not_active: 'The customer is blocked.',
  invalid_code: 'The code is wrong.',
  code_expired: 'The code is too old, was used, or was tried too often.',
  customer_not_reachable: 'The customer has neither an email address nor a phone number that can be used.',
  invalid_phone: 'The phone number is not valid.',
  existing_customer_with_email: 'The email address already belongs to a customer.',
  existing_customer_with_phone: 'The phone number already belongs to a customer.',
  opaque_id_already_exists: 'The opaque ID is already in use.',
  card_not_found: 'The customer has no such card.',
  card_not_active: 'The card is blocked, replaced or closed.',
  wallet_revoked: "The card's wallet page has no URL: it was revoked.",
  transaction_not_found: 'The transaction does not exist.',
  transaction_archived: 'The transaction is too old to be changed or shown: it was moved to the archive.',
  transaction_already_exists: 'The receipt number was already used with a different body.',
  invalid_product: 'The product is unknown, and the organization accepts only known references.',
  invalid_user: 'The user is unknown, and the organization accepts only known references.',
  invalid_branch: 'The branch is unknown, and the organization accepts only known references.',
  product_not_found: 'The product does not exist.',
  user_not_found: 'The user does not exist.',
  branch_not_found: 'The branch does not exist.',
  coupon_not_found: 'The customer has no such coupon.',
  coupon_already_redeemed: 'The coupon was already redeemed.',
  coupon_expired: 'The coupon has expired.',
  coupon_revoked: 'The coupon was revoked.',
  coupon_not_applicable:
    'The coupon does not apply to this item or basket, is worth nothing in it, or is used twice in it.',
  points_not_spendable: 'The card has no balance that points can be spent from.',
  insufficient_points: 'Not enough points.',
  points_below_minimum: "The number of points is below the campaign's minimum, or is worth nothing in money.",
  points_above_share: 'The points would cover more of the basket than the campaign allows.',
  return_exceeds_sale: 'The return exceeds what is left of the sale.',
} as const satisfies Record<string, string>

export type RefusalCode = keyof typeof refusals

/** A refusal as data: what pure code returns. */
export interface Refusal {
  readonly code: RefusalCode
  /** What exactly was wrong with this request. */
  readonly description?: string
  /** The description as data, where it takes field names of the API to write it. */
  readonly problem?: Problem
  /** The sale that is in the way. */
  readonly transaction?: TransactionId
  /** The customer who already has the phone number, the email address or the opaque ID. */
  readonly customer?: CustomerId
}

/**
 * What was wrong with a value. The place is given in domain terms, such as `['lines', 3, 'unitPrice']`;
 * `http` translates it to the field names of the API.
 */
export type Problem =
  | { readonly kind: 'too_many_decimals'; readonly at: Place; readonly most: number }
  | { readonly kind: 'too_small'; readonly at: Place; readonly least: number }
  | { readonly kind: 'not_positive'; readonly at: Place }
  | { readonly kind: 'too_large'; readonly at: Place; readonly most: number }
  | { readonly kind: 'sum_too_large'; readonly at: Place; readonly most: number }
  | { readonly kind: 'empty'; readonly at: Place }
  | { readonly kind: 'too_long_ago'; readonly at: Place; readonly mostDays: number }
  | { readonly kind: 'before_first_card'; readonly at: Place; readonly opened: Date }
  | { readonly kind: 'unknown_line'; readonly at: Place; readonly line: string }
  | { readonly kind: 'too_little_left'; readonly at: Place; readonly line: string }
  | { readonly kind: 'less_left'; readonly at: Place; readonly left: number }
  | { readonly kind: 'not_by_amount'; readonly at: Place }
  | { readonly kind: 'nothing_left' }
  | { readonly kind: 'balance_too_large'; readonly balance: string; readonly most: number }
  | { readonly kind: 'contradicts'; readonly at: Place; readonly field: string }
  | { readonly kind: 'coupon'; readonly coupon: string }
  | { readonly kind: 'coupon_without_unit'; readonly coupon: string }
  | { readonly kind: 'coupon_without_worth'; readonly coupon: string }
  | { readonly kind: 'points_without_worth' }

export type Place = readonly (string | number)[]

/** A refusal as an error: what operations throw and `http` renders. */
export class Refused extends Error {
  readonly code: RefusalCode
  readonly description: string | undefined
  readonly problem: Problem | undefined
  /** The sale that is in the way. */
  transaction: TransactionId | undefined
  /** The customer who already has what must be unique. */
  customer: CustomerId | undefined
  /**
   * `path` if the refused object was named in the path or the query: "not found" is then a 404, not a 400.
   */
  readonly place: 'body' | 'path'
  /** The oldest cursor that can still be used. */
  cursor: string | undefined
  /** Codes of everything that is wrong, where the description has a sentence for each. */
  problems: readonly string[] | undefined
  /** When a retry may succeed, if known. */
  retryAfterSeconds: number | undefined

  constructor(code: RefusalCode, description?: string, place: 'body' | 'path' = 'body', problem?: Problem) {
    // The stack of a refusal is never read, and capturing it is a seventh of the cost of refusing a flood.
    const { stackTraceLimit } = Error
    Error.stackTraceLimit = 0
    super(description ? `${code}: ${description}` : code)
    Error.stackTraceLimit = stackTraceLimit
    this.code = code
    this.description = description
    this.problem = problem
    this.place = place
  }

  /** Wraps a refusal that pure code returned. */
  static from({ code, description, problem, transaction, customer }: Refusal): Refused {
    const refused = new Refused(code, description, 'body', problem)
    refused.transaction = transaction
    refused.customer = customer
    return refused
  }

  after(seconds: number): this {
    this.retryAfterSeconds = seconds
    return this
  }
}

/** What the path or the query named does not exist, for this caller at least. */
export const notFound = (code: RefusalCode): Refused => new Refused(code, undefined, 'path')
