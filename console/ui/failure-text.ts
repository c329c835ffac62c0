import i18next from 'i18next'
import { ApiError } from '../api/client.ts'

/**
 * Describes an error in the reader's language if there is a text for its code, or else in the service's
 * words. A page may have its own texts in its default namespace: the till addresses a cashier.
 */
export function failureText(error: unknown): string {
  if (!(error instanceof ApiError)) return error instanceof Error ? error.message : String(error)
  const own = String(i18next.options.defaultNS)
  const key = [`${own}:refusals.${error.code}`, `common:refusals.${error.code}`].find((item) =>
    i18next.exists(item),
  )
  return key === undefined ? error.message : i18next.t(key)
}

/** Codes that name only the kind of error; the service's message contains the details. */
const general = [
  '_invalid_payload',
  '_forbidden',
  'invalid_campaign_definition',
  'invalid_campaign',
  'existing_person_with_email',
]

export function failureDetail(error: unknown): string | undefined {
  return error instanceof ApiError && general.includes(error.code) ? error.message : undefined
}
