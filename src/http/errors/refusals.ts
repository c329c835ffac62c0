/**
 * The HTTP side of each refusal: its status and the advice to clients. `docs/errors.md` and the error list of
 * the API reference are made of these and the sentences in `domain/refusal.ts`.
 */
import type { RefusalCode } from '../../domain/refusal.ts'

interface RefusalAnswer {
  readonly status: number
  readonly advice: string
}

export const refusalAnswers: Record<RefusalCode, RefusalAnswer> = {
  _invalid_payload: {
    status: 400,
    advice:
      'Read `description`: it names the property. Fix the request; retrying it unchanged will fail again.',
  },
  _unauthorized: {
    status: 401,
    advice:
      'Get a token with `POST /auth/token` and send it as `Authorization: Bearer <accessToken>`. People sign in with `POST /auth/session`.',
  },
  _jwt_malformed: {
    status: 401,
    advice: 'Send the `accessToken` of `POST /auth/token` complete and unchanged.',
  },
  _jwt_expired: {
    status: 401,
    advice: 'Call `POST /auth/refreshtoken`, or get a new token with the credentials.',
  },
  _invalid_credentials: {
    status: 401,
    advice:
      'Check that the key and the secret were issued together and that neither was rotated. For a forgotten password, ask an owner for a new link.',
  },
  _invalid_refresh_token: {
    status: 400,
    advice: 'Get a new token with the credentials, and store both tokens of every response.',
  },
  invalid_subscription: {
    status: 403,
    advice: 'Ask the operator to activate the subscription; it takes effect with the next request.',
  },
  _forbidden: {
    status: 403,
    advice:
      'Use a connection with the scope, or sign in with the role, that `description` names, and use the https:// address. The session cookie is only valid for same-origin requests.',
  },
  _not_found: { status: 404, advice: 'Compare the address with the API reference at `/docs`.' },
  _method_not_allowed: { status: 405, advice: 'Use one of the methods in the `Allow` header.' },
  _payload_too_large: { status: 413, advice: 'Send a smaller body; a basket has at most 500 items.' },
  _unsupported_media_type: { status: 415, advice: 'Send UTF-8 JSON with `Content-Type: application/json`.' },
  _too_many_requests: { status: 429, advice: 'Wait the number of seconds in `Retry-After`, then retry.' },
  _unavailable: {
    status: 503,
    advice:
      'Wait the number of seconds in `Retry-After`, then retry with the same receipt number or `Idempotency-Key`, which is always safe.',
  },
  _internal_error: {
    status: 500,
    advice: 'Report it with the `X-Request-Id` of the response. Retrying with the same key is safe.',
  },
  idempotency_key_reused: {
    status: 422,
    advice: 'Use a new `Idempotency-Key` for every new request, and the same one only to retry a request.',
  },
  idempotency_key_in_use: {
    status: 409,
    advice: 'Retry in a moment to get the result of the first request.',
  },
  organization_not_found: { status: 400, advice: 'Look up the ID with `GET /admin/v1/organizations`.' },
  integration_not_found: { status: 400, advice: 'Look up the ID with `GET /admin/v1/integrations`.' },
  connection_not_found: {
    status: 400,
    advice:
      'Look up the ID with `GET /v1/connections`; operators use `GET /admin/v1/organizations/{id}/connections`.',
  },
  person_not_found: { status: 400, advice: 'Look up the ID with `GET /v1/people`.' },
  existing_person_with_email: {
    status: 400,
    advice: 'Update the person who has it, or use another address.',
  },
  too_many_people: { status: 400, advice: 'Remove someone who has left: `DELETE /v1/people/{id}`.' },
  last_owner: { status: 400, advice: 'Make someone else an owner first, and wait until they have joined.' },
  invalid_invitation: {
    status: 400,
    advice: 'Ask an owner for a new link: `POST /v1/people/{id}/invitation`.',
  },
  weak_password: {
    status: 400,
    advice:
      'Choose several words that do not belong together, or let a password manager create one. Frequent passwords, numbers, repetitions, keyboard runs, and names of the person or the organization are refused.',
  },
  too_many_connections: {
    status: 400,
    advice: 'Revoke one that is no longer used: `POST /v1/connections/{id}/revoke`.',
  },
  connection_revoked: { status: 400, advice: 'Create a new connection with `POST /v1/connections`.' },
  live_organization_required: {
    status: 400,
    advice: 'Use a connection of the live organization, or go back to it in the console.',
  },
  test_organization_required: {
    status: 400,
    advice: 'Create a test organization with `POST /v1/test-organizations`, and use its connection.',
  },
  test_organization_not_found: {
    status: 404,
    advice: 'List the test organizations with `GET /v1/test-organizations`.',
  },
  too_many_test_organizations: {
    status: 400,
    advice: 'Delete one that is no longer used: `DELETE /v1/test-organizations/{id}`.',
  },
  webhook_not_found: { status: 404, advice: 'List the webhooks with `GET /v1/webhooks`.' },
  webhook_paused: {
    status: 409,
    advice: 'Fix the receiver if it failed, then resume the webhook with `PATCH` and `status`: `active`.',
  },
  too_many_webhooks: {
    status: 400,
    advice: 'Delete a webhook that is no longer used, or let one receive more types.',
  },
  sender_not_found: {
    status: 400,
    advice: 'Set one up with `PUT /v1/senders/email` or `PUT /v1/senders/sms`.',
  },
  message_not_found: { status: 404, advice: 'List the messages with `GET /v1/messages`.' },
  message_kind_not_found: { status: 404, advice: 'List the kinds with `GET /v1/message-kinds`.' },
  message_already_sent: {
    status: 409,
    advice: 'Send a new message instead.',
  },
  import_not_found: { status: 404, advice: 'List the imports with `GET /v1/imports`.' },
  import_finished: { status: 409, advice: 'Begin another one with `POST /v1/imports`.' },
  import_rows_differ: {
    status: 409,
    advice:
      'The file has changed: begin another import with `POST /v1/imports`. Customers are not created twice.',
  },
  source_not_found: { status: 404, advice: 'List the sources with `GET /v1/sources`.' },
  too_many_sources: { status: 400, advice: 'Delete a source that is no longer used.' },
  received_message_not_found: {
    status: 404,
    advice: 'List what a source has sent with `GET /v1/sources/{id}/received`.',
  },
  received_message_not_kept: {
    status: 410,
    advice: 'Let the sender send it again, or record the sale with `POST /v1/transactions/process`.',
  },
  invalid_signature: {
    status: 401,
    advice:
      'Copy the signing key of the sender to the source, and the address of the source to the sender, unchanged.',
  },
  delivery_not_found: {
    status: 404,
    advice: 'List the deliveries with `GET /v1/webhooks/{id}/deliveries`.',
  },
  event_not_kept: { status: 410, advice: 'Read the current state of the customer instead.' },
  request_not_found: {
    status: 400,
    advice:
      'List the requests with `GET /v1/requests`: the newest 2,000 of the last 7 days are kept, unless the operator has set another time.',
  },
  cursor_expired: {
    status: 410,
    advice:
      'You have missed events. Fetch the current state of what you follow, and continue with `cursor`, the oldest that can be used. To read in time, do not stop for longer than events are kept.',
  },
  invalid_campaign: {
    status: 400,
    advice: 'Choose a campaign from `GET /v1/campaigns` that is published and has not ended.',
  },
  invalid_campaign_definition: {
    status: 400,
    advice: 'Read `description`: it names the place in the definition and the reason.',
  },
  campaign_not_found: {
    status: 400,
    advice: 'Look up the ID with `GET /v1/campaigns`. A till sees published campaigns only.',
  },
  short_name_taken: {
    status: 409,
    advice: 'Choose another: `description` names one that is free.',
  },
  enrollment_closed: {
    status: 409,
    advice: 'Ask at the till for a card. Merchants open the page with `PATCH /v1/campaigns/{id}/enrollment`.',
  },
  invalid_proof: { status: 400, advice: 'Load the enrollment page again, which computes a new one.' },
  customer_not_found: {
    status: 400,
    advice: 'Find the customer with `GET /v1/customers/find`, or register a new one.',
  },
  customer_not_active: {
    status: 400,
    advice: 'Process the sale without the loyalty program, or unblock the customer first.',
  },
  invalid_code: { status: 400, advice: 'Enter the six digits of the latest message.' },
  code_expired: { status: 400, advice: 'Ask for a new code.' },
  customer_not_reachable: {
    status: 400,
    advice:
      'Add an email address or a phone number to the customer, or set up a sender for the one there is.',
  },
  invalid_phone: {
    status: 400,
    advice: "Send it in international format, or in the national format of the organization's country.",
  },
  existing_customer_with_email: {
    status: 400,
    advice: '`customer` is the one who has it: register them with `customer.id`, or check the email address.',
  },
  existing_customer_with_phone: {
    status: 400,
    advice: '`customer` is the one who has it: register them with `customer.id`, or check the phone number.',
  },
  opaque_id_already_exists: {
    status: 400,
    advice: 'Use another `opaqueId`, or change the record that has it.',
  },
  card_not_found: {
    status: 400,
    advice:
      "Use one of the customer's `cards` from `GET /v1/customers/find`, or after a scan its `matchedCard`.",
  },
  card_not_active: {
    status: 400,
    advice:
      "Use the customer's active card; a replaced card has a successor, and a blocked one can be unblocked.",
  },
  wallet_revoked: {
    status: 400,
    advice: 'Give it a new URL with `POST /v1/cards/{id}/wallet/renew`, which needs the scope `manage`.',
  },
  transaction_not_found: {
    status: 400,
    advice: 'Search by your receipt number: `GET /v1/transactions?opaqueId=`.',
  },
  transaction_archived: {
    status: 410,
    advice:
      'The sale was booked and counts; nothing has to be sent again. Use a new `opaqueId` for a new sale. To read or return this one, ask the operator, who has the file that `description` names.',
  },
  transaction_already_exists: {
    status: 409,
    advice:
      '`transaction` is the sale: look it up with `GET /v1/transactions/{id}`. Use a new `opaqueId` for a new sale.',
  },
  invalid_product: {
    status: 400,
    advice: 'Add the product to the directory, or turn off `strictReferences`.',
  },
  invalid_user: { status: 400, advice: 'Add the user to the directory, or turn off `strictReferences`.' },
  invalid_branch: { status: 400, advice: 'Add the branch to the directory, or turn off `strictReferences`.' },
  product_not_found: { status: 400, advice: 'Look up the ID with `GET /v1/products`.' },
  user_not_found: { status: 400, advice: 'Look up the ID with `GET /v1/users`.' },
  branch_not_found: { status: 400, advice: 'Look up the ID with `GET /v1/branches`.' },
  coupon_not_found: {
    status: 400,
    advice: 'Use one of the `coupons` that `GET /v1/customers/find` returns for this customer.',
  },
  coupon_already_redeemed: {
    status: 400,
    advice: 'Fetch the customer again and show the remaining coupons.',
  },
  coupon_expired: { status: 400, advice: 'Fetch the customer again and show the remaining coupons.' },
  coupon_revoked: { status: 400, advice: 'Fetch the customer again and show the remaining coupons.' },
  coupon_not_applicable: {
    status: 400,
    advice:
      'Put the coupon on an item with one of its products, once per basket. Where nothing is left to pay, leave it out: it stays usable.',
  },
  points_not_spendable: {
    status: 400,
    advice: 'Omit `pointsToSpend` for this card: its campaign has no `spend`.',
  },
  insufficient_points: {
    status: 400,
    advice: 'Fetch the customer again and offer at most the `value` of the balance.',
  },
  points_below_minimum: {
    status: 400,
    advice:
      'Offer points only from the `min` of the campaign upward, and only as many as are worth the smallest unit of the currency.',
  },
  points_above_share: {
    status: 400,
    advice: 'Offer less: the campaign caps the share of a basket that points can pay for.',
  },
  return_exceeds_sale: { status: 400, advice: 'Get the transaction to see which quantities are left.' },
}
