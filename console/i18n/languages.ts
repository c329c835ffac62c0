/**
 * The languages of the pages. Texts are loaded by page and language when needed; a language is a folder in
 * `locales/`, with the same files and keys as English, and one line here.
 */
import i18next, { type BackendModule, type TFunction } from 'i18next'
import { initReactI18next } from 'react-i18next'

export const languages = {
  en: { name: 'English', dir: 'ltr' },
  de: { name: 'Deutsch', dir: 'ltr' },
  ar: { name: 'العربية', dir: 'rtl' },
} as const
export type Language = keyof typeof languages

const isLanguage = (text: string): text is Language => Object.hasOwn(languages, text)
const storageKey = 'lw-language'

/** The language chosen earlier in this browser, or else the browser's, or else English. */
function firstLanguage(): Language {
  const wanted = [localStorage.getItem(storageKey) ?? '', ...navigator.languages]
  return wanted.map(languageOf).find((language) => language !== undefined) ?? 'en'
}

/** The supported language of a locale such as `de-AT`. */
export function languageOf(locale: string): Language | undefined {
  const language = locale.split('-', 1)[0]!.toLowerCase()
  return isLanguage(language) ? language : undefined
}

const files = import.meta.glob<Record<string, unknown>>('../locales/*/*.json', { import: 'default' })

const backend: BackendModule = {
  type: 'backend',
  init() {},
  read(language, namespace, done) {
    const load = files[`../locales/${language}/${namespace}.json`]
    if (!load) return done(new Error(`no texts for ${namespace} in ${language}`), false)
    load().then(
      (texts) => done(null, texts),
      (error) => done(error, false),
    )
  },
}

/** Loads the texts of a page together with its code. Rejects when they cannot be loaded; retrying is safe. */
export async function loadTexts(namespaces: readonly string[]): Promise<void> {
  await Promise.all([...new Set([i18next.language, 'en'])].map((language) => addTexts(language, namespaces)))
  // Everything is loaded, but a language that is chosen later has to load these namespaces too.
  await i18next.loadNamespaces([...namespaces])
}

async function addTexts(language: string, namespaces: readonly string[]): Promise<void> {
  const missing = namespaces.filter((namespace) => !i18next.hasResourceBundle(language, namespace))
  await Promise.all(
    missing.map(async (namespace) => {
      const texts = await files[`../locales/${language}/${namespace}.json`]!()
      i18next.addResourceBundle(language, namespace, texts)
    }),
  )
}

/** The texts of a namespace in another language than the reader's, such as for something to print. */
export async function textsIn(language: Language, namespace: string): Promise<TFunction> {
  await addTexts(language, [namespace])
  return i18next.getFixedT(language, namespace)
}

export async function startLanguages(namespaces: readonly string[]): Promise<void> {
  await i18next
    .use(backend)
    .use(initReactI18next)
    .init({
      lng: firstLanguage(),
      fallbackLng: 'en',
      ns: [...namespaces],
      defaultNS: namespaces[0],
      // React escapes values itself; a value in a sentence only has to keep its own direction.
      interpolation: { escapeValue: true, escape: isolate },
      react: { useSuspense: true },
      // The tests read the browser's console: a missing text must show up there.
      saveMissing: true,
      missingKeyHandler: (_languages, namespace, key) => console.error(`no text for ${namespace}:${key}`),
    })
  applyDirection()
}

function applyDirection(): void {
  document.documentElement.lang = i18next.language
  document.documentElement.dir = directionNow()
}

export function directionNow(): 'ltr' | 'rtl' {
  return isLanguage(i18next.language) ? languages[i18next.language].dir : 'ltr'
}

/** Keeps `5 off` and `US$` left to right within right-to-left text. */
export const isolate = (text: string): string => (directionNow() === 'rtl' ? `\u2068${text}\u2069` : text)

/** Uses the merchant's language if the customer chose none and the browser's are not supported. */
export async function adoptLanguage(locale: string): Promise<void> {
  const language = languageOf(locale)
  const isSettled = localStorage.getItem(storageKey) !== null || navigator.languages.some(languageOf)
  if (isSettled || !language || language === i18next.language) return
  await i18next.changeLanguage(language)
  applyDirection()
}

/** Loads all texts of the current page first. Rejects without any change if they cannot be loaded. */
export async function changeLanguage(language: Language): Promise<void> {
  await addTexts(language, Object.keys(i18next.getDataByLanguage(i18next.language) ?? {}))
  localStorage.setItem(storageKey, language)
  await i18next.changeLanguage(language)
  applyDirection()
}

/** Uses the language that the customer has chosen elsewhere, unless another one was chosen in this browser. */
export async function adoptChosenLanguage(language: Language): Promise<void> {
  if (localStorage.getItem(storageKey) !== null || language === i18next.language) return
  await i18next.changeLanguage(language)
  applyDirection()
}
