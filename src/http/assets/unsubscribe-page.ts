/**
 * The page behind the link that ends messages: one button, and the same page without it afterwards. It needs no
 * script, and opening it changes nothing, since mail programs open links on their own.
 */
import { plainColor } from '../../domain/color.ts'
import { escapeHtml } from '../../domain/escape-html.ts'
import type { Language } from '../../domain/language.ts'

const words = {
  en: {
    ask: 'Stop messages from {merchant}?',
    more: 'You keep your card, and everything you have collected.',
    button: 'Unsubscribe',
    done: 'You will get no more news from {merchant}.',
    gone: 'This link is not valid any more.',
  },
  de: {
    ask: 'Keine Nachrichten von {merchant} mehr?',
    more: 'Ihre Karte und alles, was Sie gesammelt haben, bleiben Ihnen erhalten.',
    button: 'Abmelden',
    done: 'Sie erhalten keine Neuigkeiten von {merchant} mehr.',
    gone: 'Dieser Link ist nicht mehr gültig.',
  },
  ar: {
    ask: 'هل تريد إيقاف الرسائل من {merchant}؟',
    more: 'تبقى لك بطاقتك وكل ما جمعته.',
    button: 'إلغاء الاشتراك',
    done: 'لن تصلك أخبار من {merchant} بعد الآن.',
    gone: 'هذا الرابط لم يعد صالحًا.',
  },
} as const

/** The first language of the reader that there are words in. */
export function languageOf(accepted: string | undefined): Language {
  const wanted = (accepted ?? '').split(',').map((part) => part.trim().slice(0, 2).toLowerCase())
  return (wanted.find((language) => Object.hasOwn(words, language)) as Language | undefined) ?? 'en'
}

export function unsubscribePage(
  language: Language,
  state: 'ask' | 'done' | 'gone',
  merchant: string,
): string {
  const text = words[language]
  const title = escapeHtml(text[state].replace('{merchant}', () => merchant))
  const form =
    state === 'ask'
      ? `<p>${text.more}</p><form method="post"><button autofocus>${text.button}</button></form>`
      : ''
  return `<!doctype html>
<html lang="${language}" dir="${language === 'ar' ? 'rtl' : 'ltr'}">
<head>
<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex"><title>${title}</title><link rel="icon" href="/icon.svg">
<style>
:root{color-scheme:light dark;font:18px/1.5 system-ui,sans-serif}
body{min-height:100vh;margin:0;display:grid;place-items:center;padding:24px;box-sizing:border-box}
main{max-width:28rem;text-align:center}h1{font-size:1.5rem;line-height:1.3}
button{font:inherit;font-weight:600;padding:.75rem 2rem;border:0;border-radius:8px;background:${plainColor};color:#fff;cursor:pointer}
button:focus-visible{outline:3px solid #4dabf7;outline-offset:2px}
</style>
</head>
<body><main><h1>${title}</h1>${form}</main></body>
</html>
`
}
