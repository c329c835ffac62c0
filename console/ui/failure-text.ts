import i18next from 'i18next'
import { ApiError } from '../api/client.ts'

/**
 * What went wrong: in the reader's language where there are words for its code, else as the service said it.
 * A page may have its own words, in the namespace it began with: the till speaks to a cashier.
 */
export function failureText(error: unknown): string {
  if (!(error instanceof ApiError)) return error instanceof Error ? error.message : String(error)
  const own = String(i18next.options.defaultNS)
  const key = [`${own}:refusals.${error.code}`, `common:refusals.${error.code}`].find((item) =>
    i18next.exists(item),
  )
  return key === undefined ? error.message : i18next.t(key)
}

/** Codes that say only what kind of thing is wrong; the service's own sentence names the place. */
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
