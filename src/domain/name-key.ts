/** How names are compared: as people type them who have another keyboard, or no patience for marks. */

/** Marks of Latin, Greek and Cyrillic letters, of Hebrew and of Arabic. In other scripts a mark makes another letter. */
const marks = /[\u0300-\u036f]|(?=\p{M})[\p{scx=Hebrew}\p{scx=Arabic}]/gu

/** Letters that Unicode does not take apart, and in Arabic those that are written one for another. */
const plainLetters = new Map(
  Object.entries({
    ...{ ß: 'ss', æ: 'ae', œ: 'oe', þ: 'th', ð: 'd', đ: 'd', ɗ: 'd', ø: 'o', ł: 'l', ħ: 'h', ŧ: 't', ŋ: 'n' },
    ...{ ı: 'i', ə: 'e', ɓ: 'b', ƙ: 'k', ƴ: 'y', ς: 'σ', '’': "'", '‘': "'", ʼ: "'", ʻ: "'" },
    ...{ ٱ: 'ا', ى: 'ي', ی: 'ي', ک: 'ك', ة: 'ه', ـ: '' },
  }),
)
const special = new RegExp(`[${[...plainLetters.keys()].join('')}]`, 'g')

/** Small letters without their marks; composed at the end, for scripts whose marks stay. */
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

/** As German and Danish are written without their own letters: Mueller for Müller. */
function spellOut(text: string): string {
  return text
    .normalize('NFC')
    .toLowerCase()
    .replace(/[äöøüå]/g, (letter) => twoLetters[letter]!)
}

/** The ways to write a text with plain letters: Müller as muller and mueller. */
export function spellingsOf(text: string): string[] {
  return [...new Set([fold(text), fold(spellOut(text))])]
}

/** What is kept of a name to search in: all its spellings, so that each word is found in any. */
export function nameKey(name: string): string {
  return spellingsOf(name).join(' ')
}
