/** The languages that customers can be addressed in. */
export const languages = ['en', 'de', 'ar'] as const
export type Language = (typeof languages)[number]

/** The language of a tag such as `de-AT`, if there are texts in it; otherwise English. */
export function languageOfLocale(locale: string): Language {
  const language = locale.split('-', 1)[0]!.toLowerCase()
  return languages.find((known) => known === language) ?? 'en'
}
