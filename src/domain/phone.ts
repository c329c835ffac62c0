import { type CountryCode, isSupportedCountry, parsePhoneNumberFromString } from 'libphonenumber-js/max'

/**
 * A phone number in E.164, or undefined when the text is not one. National spellings are read in the
 * organization's country. Extensions are refused: two people behind one switchboard are not one customer.
 */
export function normalizePhone(text: string, country: string): string | undefined {
  const region = isSupportedCountry(country) ? (country as CountryCode) : undefined
  const phone = parsePhoneNumberFromString(text.trim(), { defaultCountry: region, extract: false })
  return phone?.isValid() && !phone.ext ? phone.number : undefined
}

/**
 * Every phone number that a typed or scanned text may mean. A leading space counts as "+", which is what "+"
 * becomes in a URL that was not encoded; digits that are not a national number may be an international one
 * without its plus.
 */
export function phoneCandidates(text: string, country: string): string[] {
  const spelled = text.startsWith(' ') ? `+${text.trimStart()}` : text
  const candidates = [normalizePhone(spelled, country)]
  if (!/[+＋]/.test(spelled))
    candidates.push(normalizePhone(`+${spelled.trim().replace(/^00/, '')}`, country))
  return [...new Set(candidates.filter((phone) => phone !== undefined))]
}

/** Whether the country has phone numbers at all; an organization's country must. */
export function isCountry(country: string): boolean {
  return isSupportedCountry(country)
}
