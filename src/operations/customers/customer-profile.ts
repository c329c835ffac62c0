/**
 * Converts the profile that a client sends to the one that is stored, and enforces what must be unique in an
 * organization: email, phone and opaque ID, refused in that order, even if two requests race.
 */

import { type Consents, maxPurposes } from '../../domain/consents.ts'
import type { Profile } from '../../domain/customer.ts'
import type { CustomerId } from '../../domain/ids.ts'
import type { Language } from '../../domain/language.ts'
import type { Organization } from '../../domain/organization.ts'
import { normalizePhone } from '../../domain/phone.ts'
import { type RefusalCode, Refused } from '../../domain/refusal.ts'
import { ask } from '../../store/question.ts'
import { type TakenField, takenFields, type UniqueField } from '../../store/taken-fields.ts'
import type { Tenant } from '../../store/tenant.ts'
import { refuseOnConstraint } from '../refuse-on-constraint.ts'

/** A profile as sent; an empty string counts as no value. */
export interface ProfileInput {
  readonly phone?: string
  readonly email?: string
  readonly fullname?: string
  readonly metaData?: Record<string, unknown>
  readonly consents?: Consents
  readonly opaqueId?: string
  readonly language?: Language
}

export function toProfile(input: ProfileInput, organization: Organization): Profile {
  const rawPhone = givenText(input.phone)
  const phone = rawPhone === undefined ? undefined : normalizePhone(rawPhone, organization.country)
  if (rawPhone !== undefined && phone === undefined) throw new Refused('invalid_phone')
  return {
    phone,
    email: givenText(input.email)?.normalize('NFC'),
    fullname: givenText(input.fullname),
    metaData: input.metaData,
    consents: input.consents,
    opaqueId: givenText(input.opaqueId),
    language: input.language,
  }
}

/** Throws if there are more purposes than one customer may have; after a patch, those that it keeps count. */
export function checkPurposes(consents: object | undefined): void {
  if (Object.keys(consents ?? {}).length <= maxPurposes) return
  throw new Refused('_invalid_payload', `consents: must have at most ${maxPurposes} purposes.`)
}

function givenText(text: string | undefined): string | undefined {
  const trimmed = text?.trim()
  return trimmed === '' ? undefined : trimmed
}

const takenRefusals: Record<UniqueField, RefusalCode> = {
  email: 'existing_customer_with_email',
  phone: 'existing_customer_with_phone',
  opaqueId: 'opaque_id_already_exists',
}

export const takenConstraints: Record<string, RefusalCode> = {
  customers_email_unique: takenRefusals.email,
  customers_phone_unique: takenRefusals.phone,
  customers_opaque_id_unique: takenRefusals.opaqueId,
}

/**
 * Checks first, so that the refusal is the first in order if several fields are taken and names the customer
 * who has it, and then writes: what another request takes in between is caught by the database and refused in
 * the same way, without the customer, whom only a retry can find.
 */
export async function writeUnique(
  tenant: Tenant,
  profile: Profile,
  except: CustomerId | undefined,
  write: () => Promise<void>,
): Promise<void> {
  if (hasUniqueField(profile))
    refuseTaken((await ask(tenant, { taken: takenFields(tenant, profile, except) })).taken)
  await refuseOnConstraint(takenConstraints, write)
}

export const hasUniqueField = ({ email, phone, opaqueId }: Profile) =>
  email !== undefined || phone !== undefined || opaqueId !== undefined

export function refuseTaken([taken]: readonly TakenField[]): void {
  if (taken) throw Refused.from({ code: takenRefusals[taken.field], customer: taken.customer })
}
