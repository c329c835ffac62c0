/** How names are compared: the way people type them on another keyboard, or without diacritics. */

/**
 * Diacritics of Latin, Greek and Cyrillic letters, and marks of Hebrew and Arabic. In other scripts a mark
 * makes a different letter.
 */
const marks = /[\u0300-\u036f]|(?=\p{M})[\p{scx=Hebrew}\p{scx=Arabic}]/gu

/** Letters that Unicode does not decompose, and Arabic letters that are used interchangeably. */
const plainLetters = new Map(
  Object.entries({
    ...{ ß: 'ss', æ: 'ae', œ: 'oe', þ: 'th', ð: 'd', đ: 'd', ɗ: 'd', ø: 'o', ł: 'l', ħ: 'h', ŧ: 't', ŋ: 'n' },
    ...{ ı: 'i', ə: 'e', ɓ: 'b', ƙ: 'k', ƴ: 'y', ς: 'σ', '’': "'", '‘': "'", ʼ: "'", ʻ: "'" },
    ...{ ٱ: 'ا', ى: 'ي', ی: 'ي', ک: 'ك', ة: 'ه', ـ: '' },
  }),
)
const special = new RegExp(`[${[...plainLetters.keys()].join('')}]`, 'g')

/** Lowercase letters without their marks; composed at the end, for scripts whose marks stay. */
function fold(text: string): string {
  return text
    .replaceAll('´', "'")
    .normalize('NFKD')
    .replace(marks, '')
    .toLowerCase()
    .replace(special, (letter) => plainLetters.get(letter)!)
    .normalize('NFC')
}

const twoLetters: Record<string, string> = { ä: 'ae', ö: 'oe', ø: 'oe', ü: 'ue', å: 'aa' }

/** How German and Danish are written without their special letters: Mueller for Müller. */
function spellOut(text: string): string {
  return text
    .normalize('NFC')
    .toLowerCase()
    .replace(/[äöøüå]/g, (letter) => twoLetters[letter]!)
}

/** The ways to write a text in plain letters: Müller as muller and mueller. */
export function spellingsOf(text: string): string[] {
  return [...new Set([fold(text), fold(spellOut(text))])]
}

/** The searchable form of a name: all its spellings, so that each word is found in any of them. */
export function nameKey(name: string): string {
  return spellingsOf(name).join(' ')
}
