/**
 * What a client does about each refusal: the second half of `docs/errors.md` and of the API reference. When a
 * refusal happens is said in `domain/refusal.ts`; what helps speaks of endpoints and headers and lives here.
 */
import { type RefusalCode, refusals } from '../domain/refusal.ts'

export const errorAdvice: Record<RefusalCode, string> = {
  _invalid_payload:
    'Read `description`: it names the member. Mend the request; repeating it unchanged is refused again.',
  _unauthorized:
    'Get a token with `POST /auth/token` and send it as `Authorization: Bearer <accessToken>`. People sign in with `POST /auth/session`.',
  _jwt_malformed: 'Send the `accessToken` of `POST /auth/token` unchanged and whole.',
  _jwt_expired: 'Renew the session with `POST /auth/refreshtoken`, or get a new token with the credentials.',
  _invalid_credentials:
    'Check that the key and the secret were issued for each other, and that neither was rotated. An owner can give out a link for a forgotten password.',
  _invalid_refresh_token: 'Get a new token with the credentials, and keep both tokens of every reply.',
  invalid_subscription: 'Ask the operator to switch the subscription on; it counts from the next call.',
  _forbidden:
    'Use a connection with the scope, or sign in with a role, that `description` names, and the https:// address. A page of another site cannot use the session.',
  _not_found: 'Compare the address with the API reference at `/docs`.',
  _method_not_allowed: 'Use one of the methods in the `Allow` header.',
  _payload_too_large: 'Send less at once; a basket has at most 500 lines.',
  _unsupported_media_type: 'Send plain UTF-8 JSON with `Content-Type: application/json`.',
  _too_many_requests: 'Wait for the seconds in `Retry-After`, then repeat.',
  _unavailable:
    'Wait for the seconds in `Retry-After`, then repeat with the same receipt number or `Idempotency-Key`: that is always safe.',
  _internal_error: 'Report it with the `X-Request-Id` of the reply. Repeating under the same key is safe.',
  idempotency_key_reused:
    'Use a new `Idempotency-Key` for every new call, the same one only to repeat a call.',
  idempotency_key_in_use: 'Repeat the call in a moment to get the answer of the first one.',
  organization_not_found: 'Look the id up with `GET /admin/v1/organizations`.',
  integration_not_found: 'Look the id up with `GET /admin/v1/integrations`.',
  person_not_found: 'Look the id up with `GET /v1/people`.',
  existing_person_with_email: 'Change the person who has it, or use another address.',
  too_many_people: 'Remove somebody who has left: `DELETE /v1/people/{id}`.',
  last_owner: 'Make somebody else an owner first, and let them join.',
  invalid_invitation: 'Ask an owner for a new link: `POST /v1/people/{id}/invitation`.',
  connection_not_found:
    'Look the id up with `GET /v1/connections`; an operator with `GET /admin/v1/organizations/{id}/connections`.',
  too_many_connections: 'Revoke one that is not used any more: `POST /v1/connections/{id}/revoke`.',
  connection_revoked: 'Make a new connection with `POST /v1/connections`.',
  request_not_found: 'List the calls with `GET /v1/requests`: the newest 2,000 of the last 7 days are kept.',
  invalid_campaign: 'Take a campaign of `GET /v1/campaigns` that is published and has not ended.',
  invalid_campaign_definition: 'Read `description`: it names the place in the definition and the reason.',
  campaign_not_found: 'Look the id up with `GET /v1/campaigns`. A till sees published campaigns only.',
  customer_not_found: 'Find the customer with `GET /v1/customers/find`, or register a new one.',
  customer_not_active: 'Sell without loyalty, or unblock the customer first.',
  invalid_phone: "Send it in international form, or in the national form of the organization's country.",
  existing_customer_with_email: 'Find that customer by the e-mail address and register it by `customer.id`.',
  existing_customer_with_phone: 'Find that customer by the phone number and register it by `customer.id`.',
  opaque_id_already_exists: 'Use another id, or change the record that has it.',
  card_not_found: "Take one of the customer's `cards` from `GET /v1/customers/find`.",
  card_not_active:
    "Use the customer's active card; a replaced one has a successor, a blocked one can be unblocked.",
  transaction_not_found: 'Search by your receipt number: `GET /v1/transactions?opaqueId=`.',
  transaction_already_exists:
    'Look it up with `GET /v1/transactions?opaqueId=`; use a new number for a new sale.',
  invalid_product: 'Add the product to the directory, or switch `strictReferences` off.',
  invalid_user: 'Add the user to the directory, or switch `strictReferences` off.',
  invalid_branch: 'Add the branch to the directory, or switch `strictReferences` off.',
  product_not_found: 'Look the id up with `GET /v1/products`.',
  user_not_found: 'Look the id up with `GET /v1/users`.',
  branch_not_found: 'Look the id up with `GET /v1/branches`.',
  coupon_not_found: 'Take one of the `coupons` that `GET /v1/customers/find` shows for this customer.',
  coupon_already_redeemed: 'Fetch the customer again and show the coupons that are left.',
  coupon_expired: 'Fetch the customer again and show the coupons that are left.',
  coupon_revoked: 'Fetch the customer again and show the coupons that are left.',
  coupon_not_applicable: 'Put the coupon on a line with one of its products, once per basket.',
  points_not_spendable: 'Leave `pointsToSpend` out for this card: its campaign has no `spend`.',
  insufficient_points: 'Fetch the customer again and offer at most the `value` of the balance.',
  points_below_minimum: 'Offer spending only from the `min` of the campaign on.',
  points_above_share: 'Offer less: the campaign caps the share of a basket that points may pay.',
  return_exceeds_sale: 'Read the transaction to see which quantities are left.',
}

/** When a refusal happens: the first sentence of its text. */
export function refusalReason(code: RefusalCode): string {
  return /^.*?[.](?= |$)/s.exec(refusals[code])?.[0] ?? refusals[code]
}
