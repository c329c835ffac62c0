import i18next from 'i18next'
import type { Schemas } from '../api/client.ts'

/** Describes a warning in the reader's language if there is a text for its code, or else in the service's. */
export function warningText({ code, text }: Schemas['BasketWarning']): string {
  const key = `common:warnings.${code}`
  return i18next.exists(key) ? i18next.t(key) : text
}
