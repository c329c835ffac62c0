/** Languages, countries and time zones that the browser knows, named in the reader's language. */
import i18next from 'i18next'

interface Option {
  readonly value: string
  readonly label: string
}

/** Locales of the wallet page's languages, since some countries write dates and numbers differently. */
const locales = [
  ...['en', 'en-US', 'en-GB', 'en-AU', 'en-CA', 'en-IE', 'en-IN', 'en-NZ', 'en-ZA'],
  ...['de', 'de-DE', 'de-AT', 'de-CH'],
  ...['ar', 'ar-AE', 'ar-EG', 'ar-JO', 'ar-KW', 'ar-LB', 'ar-MA', 'ar-QA', 'ar-SA'],
]

function nameOf(type: Intl.DisplayNamesType, code: string): string {
  try {
    return new Intl.DisplayNames([i18next.language], { type }).of(code) ?? code
  } catch {
    return code
  }
}

/** The current value stays an option. */
const including = (values: readonly string[], current: string): readonly string[] =>
  values.includes(current) ? values : [current, ...values]

export const localeOptions = (current: string): Option[] =>
  including(locales, current).map((value) => ({ value, label: nameOf('language', value) }))

export const timeZoneOptions = (current: string): Option[] =>
  including(Intl.supportedValuesOf('timeZone'), current).map((value) => ({
    value,
    // Spaces instead of underscores, so that "New York" is found too.
    label: value.replaceAll('_', ' '),
  }))

export const countryName = (code: string): string => nameOf('region', code)
export const currencyName = (code: string): string => `${nameOf('currency', code)} (${code})`
