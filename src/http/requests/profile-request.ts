/** Converts the body of a customer request to the profile, or the profile change, that operations take. */
import type { ProfilePatch } from '../../operations/customers/change-customer.ts'
import type { ProfileInput } from '../../operations/customers/customer-profile.ts'
import type { NewCustomerBody, PatchCustomerBody } from '../schemas/customer.ts'

export function toProfileInput({ data, metaData, consents, opaqueId }: NewCustomerBody): ProfileInput {
  return { ...data, metaData, consents: consents && pickConsents(consents), opaqueId }
}

/** Absent fields must stay absent: in a merge patch only `null` removes a field. */
export function toProfilePatch({ data, metaData, consents, opaqueId }: PatchCustomerBody): ProfilePatch {
  return {
    // `null` for the whole profile removes every field of it; the customer stays.
    ...(data !== undefined && { data: data ?? { phone: null, email: null, fullname: null } }),
    ...(metaData !== undefined && { metaData }),
    ...(consents !== undefined && { consents: consents && pickConsents(consents) }),
    ...(opaqueId !== undefined && { opaqueId }),
  }
}

/** Keeps only fields of the schema: others have been reported as ignored, and are not stored. */
function pickConsents<T>({ marketing }: { marketing?: T }): { marketing?: T } {
  return marketing === undefined ? {} : { marketing }
}
