/** Turns the body about a customer into the profile, or into the change of one, that operations take. */
import type { ProfilePatch } from '../../operations/customers/change-customer.ts'
import type { ProfileInput } from '../../operations/customers/customer-profile.ts'
import type { NewCustomerBody, PatchCustomerBody } from '../schemas/customer.ts'

export function toProfileInput({ data, metaData, consents, opaqueId }: NewCustomerBody): ProfileInput {
  return { ...data, metaData, consents: consents && pickConsents(consents), opaqueId }
}

/** What is absent must stay absent: in a merge patch only `null` removes. */
export function toProfilePatch({ data, metaData, consents, opaqueId }: PatchCustomerBody): ProfilePatch {
  return {
    // Removing the profile is removing all of it; the customer stays.
    ...(data !== undefined && { data: data ?? { phone: null, email: null, fullname: null } }),
    ...(metaData !== undefined && { metaData }),
    ...(consents !== undefined && { consents: consents && pickConsents(consents) }),
    ...(opaqueId !== undefined && { opaqueId }),
  }
}

/** Only what the schema knows: other members were named as ignored, and are not stored. */
function pickConsents<T>({ marketing }: { marketing?: T }): { marketing?: T } {
  return marketing === undefined ? {} : { marketing }
}
