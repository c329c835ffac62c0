/** Erases a customer's data outside the wallet; the row stays, so that every sum remains correct. */
import type { Step } from '../database/pipeline.ts'
import type { WireValue } from '../database/wire-message.ts'
import { cardStatus, customerStatus } from '../domain/customer.ts'
import type { CustomerId } from '../domain/ids.ts'
import { type Tenant, uuidOf } from './tenant.ts'
import { countChanges } from './wallets/change.ts'

export function erasureSteps({ orgId }: Tenant, customer: CustomerId, now: Date): Step[] {
  const step = (name: string, text: string, ...values: WireValue[]): Step => ({
    name: `erase-${name}`,
    text,
    values: [String(orgId), uuidOf(customer), ...values],
  })
  return [
    // First: it waits for a change of the profile in progress, whose stored response is then erased below.
    step(
      'profile',
      `UPDATE customers SET status = ${customerStatus.erased}, phone = NULL, email = NULL, email_key = NULL, fullname = NULL,
         name_key = NULL, meta_data = NULL, consents = NULL, consent_history = NULL, opaque_id = NULL,
         language = NULL, email_verified_at = NULL, phone_verified_at = NULL, email_bounced_at = NULL, phone_bounced_at = NULL,
         updated_at = $3::timestamptz
       WHERE org_id = $1::integer AND id = $2::uuid`,
      now.toISOString(),
    ),
    step(
      'cards',
      `UPDATE cards SET status = ${cardStatus.closed}, updated_at = $3::timestamptz
       WHERE org_id = $1::integer AND customer_id = $2::uuid`,
      now.toISOString(),
    ),
    step('codes', 'DELETE FROM contact_codes WHERE org_id = $1::integer AND customer_id = $2::uuid'),
    // Before the passes, which lead to them.
    step(
      'phones',
      countChanges(`
        DELETE FROM pass_registrations r USING passes p
        WHERE r.org_id = $1::integer AND p.org_id = $1::integer AND p.customer_id = $2::uuid AND r.card_id = p.card_id`),
    ),
    step(
      'apple-passes',
      `DELETE FROM passes WHERE org_id = $1::integer AND customer_id = $2::uuid AND wallet = 'apple'`,
    ),
    // What it was made of, which is the transaction, stays.
    step(
      'received',
      `UPDATE received_messages SET payload = NULL, made = NULL, problem_text = NULL
       WHERE org_id = $1::integer AND customer_id = $2::uuid`,
    ),
    // The idempotency keys stay known, so that a late retry changes nothing.
    step(
      'replies',
      'UPDATE idempotency_keys SET reply = NULL WHERE org_id = $1::integer AND customer_id = $2::uuid',
    ),
    step(
      'meta-data',
      `UPDATE transactions SET basket = (basket::jsonb - 'metaData')::json
       WHERE org_id = $1::integer AND customer_id = $2::uuid AND basket::jsonb ? 'metaData'`,
    ),
    step(
      'return-reasons',
      countChanges(`
        UPDATE returns r SET reason = NULL FROM transactions t
        WHERE r.org_id = $1::integer AND t.org_id = $1::integer AND t.customer_id = $2::uuid
          AND r.transaction_id = t.id AND r.reason IS NOT NULL`),
    ),
  ]
}
