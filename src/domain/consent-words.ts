/** What customers agree to who want to get offers: in the merchant's words, or else in ours. */
import { type Language, languages } from './language.ts'
import type { OrganizationContact } from './organization.ts'

const words: Record<Language, string> = {
  en: '{merchant} may send me offers and news. I can withdraw this at any time.',
  de: '{merchant} darf mir Angebote und Neuigkeiten senden. Das kann ich jederzeit widerrufen.',
  ar: 'يجوز لـ {merchant} أن يرسل لي العروض والأخبار. يمكنني سحب موافقتي في أي وقت.',
}

/** By language. The merchant's own words are the same in each. */
export function consentWords(
  merchant: string,
  { consentText }: OrganizationContact,
): Readonly<Record<Language, string>> {
  const inLanguage = (language: Language) =>
    consentText ?? words[language].replace('{merchant}', () => merchant)
  return Object.fromEntries(languages.map((language) => [language, inLanguage(language)])) as Record<
    Language,
    string
  >
}
