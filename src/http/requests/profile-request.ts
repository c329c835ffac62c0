/** Converts the body of a customer request to the profile, or the profile change, that operations take. */
import { purposePattern } from '../../domain/consents.ts'
import type { Language } from '../../domain/language.ts'
import { refuseLargeMetaData } from '../../domain/meta-data.ts'
import type { ProfilePatch } from '../../operations/customers/change-customer.ts'
import { checkPurposes, type ProfileInput } from '../../operations/customers/customer-profile.ts'
import type { NewCustomerBody, PatchCustomerBody } from '../schemas/customer.ts'

export function toProfileInput({
  data,
  metaData,
  consents,
  opaqueId,
  language,
}: NewCustomerBody): ProfileInput {
  refuseLargeMetaData(metaData)
  const picked = consents && pickConsents(consents)
  checkPurposes(picked)
  return { ...data, metaData, consents: picked, opaqueId, language: language as Language | undefined }
}

/** Absent fields must stay absent: in a merge patch only `null` removes a field. */
export function toProfilePatch({
  data,
  metaData,
  consents,
  opaqueId,
  language,
}: PatchCustomerBody): ProfilePatch {
  return {
    // `null` for the whole profile removes every field of it; the customer stays.
    ...(data !== undefined && { data: data ?? { phone: null, email: null, fullname: null } }),
    ...(metaData !== undefined && { metaData }),
    ...(consents !== undefined && { consents: consents && pickConsents(consents) }),
    ...(opaqueId !== undefined && { opaqueId }),
    ...(language !== undefined && { language: language as Language | null }),
  }
}

/**
 * Keeps only purposes: other properties have been reported as ignored, and the history is ours to write.
 */
function pickConsents<T>(consents: Readonly<Record<string, T>>): Record<string, T> {
  return Object.fromEntries(Object.entries(consents).filter(([name]) => purpose.test(name)))
}

const purpose = new RegExp(purposePattern)
