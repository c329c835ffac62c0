/** Who has what must be unique among the customers of an organization. */
import { emailKey, type Profile } from '../domain/customer.ts'
import type { CustomerId } from '../domain/ids.ts'
import { type Question, question } from './question.ts'
import { idFrom, type Tenant, uuidOf } from './tenant.ts'

export type UniqueField = 'email' | 'phone' | 'opaqueId'

export interface TakenField {
  readonly field: UniqueField
  readonly customer: CustomerId
}

/**
 * The unique fields of the profile that already belong to another customer, in the order in which they are
 * refused, each with that customer.
 */
export function takenFields(
  { orgId }: Tenant,
  { email, phone, opaqueId }: Profile,
  except?: CustomerId,
): Question<TakenField[]> {
  return question(
    'taken-fields',
    `SELECT id, email_key = $2::text, phone = $3::text, opaque_id = $4::text
     FROM customers WHERE org_id = $1::integer AND (email_key = $2::text OR phone = $3::text OR opaque_id = $4::text)
       AND ($5::uuid IS NULL OR id <> $5::uuid)`,
    [
      String(orgId),
      email ? emailKey(email) : null,
      phone ?? null,
      opaqueId ?? null,
      except ? uuidOf(except) : null,
    ],
    (rows) =>
      (['email', 'phone', 'opaqueId'] as const).flatMap((field, i) => {
        const owner = rows.find((row) => row[i + 1] === 't')
        return owner ? [{ field, customer: idFrom('cus', owner[0]!) }] : []
      }),
  )
}
