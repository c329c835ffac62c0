/** Cells as people and other systems write them: amounts, days and answers to yes or no. */

/**
 * A number, whatever separates its thousands; undefined if it is none. Where only one point or comma could be either,
 * the file decides: spreadsheets that write decimals with a comma put semicolons between cells.
 */
export function readAmount(text: string, hasDecimalComma = false): number | undefined {
  const digits = text.replaceAll(/[\s\u00a0\u202f'’]/g, '').replace(/^[$€£]|[$€£]$/g, '')
  if (!/^-?[\d.,]*\d$/.test(digits)) return undefined
  const [commas, points] = [digits.split(',').length - 1, digits.split('.').length - 1]
  if (commas > 0 && points > 0) {
    const decimal = digits.lastIndexOf(',') > digits.lastIndexOf('.') ? ',' : '.'
    const thousands = decimal === ',' ? '.' : ','
    if (!new RegExp(`^-?\\d{1,3}(\\${thousands}\\d{3})+\\${decimal}\\d+$`).test(digits)) return undefined
    return Number(digits.replaceAll(thousands, '').replace(decimal, '.'))
  }
  if (commas > 1 || (commas === 1 && !hasDecimalComma && /^-?[1-9]\d{0,2},\d{3}$/.test(digits)))
    return /^-?\d{1,3}(,\d{3})+$/.test(digits) ? Number(digits.replaceAll(',', '')) : undefined
  if (points > 1 || (hasDecimalComma && /^-?[1-9]\d{0,2}\.\d{3}$/.test(digits)))
    return /^-?\d{1,3}(\.\d{3})+$/.test(digits) ? Number(digits.replaceAll('.', '')) : undefined
  return Number(digits.replace(',', '.'))
}

const yes =
  /^(?:y|yes|true|1|x|on|ja|j|wahr|given|granted|subscribed|opted[ _-]?in|optin|active|confirmed|نعم)$/i
const no =
  /^(?:n|no|false|0|off|nein|falsch|refused|withdrawn|unsubscribed|not[ _-]?subscribed|opted[ _-]?out|optout|inactive|unknown|none|never|لا)$/i

export function readAnswer(text: string): boolean | undefined {
  if (yes.test(text)) return true
  return no.test(text) ? false : undefined
}

export type DateOrder = 'dmy' | 'mdy'

/** A day or a time in ISO 8601, or undefined. With slashes, what comes first depends on the country. */
export function readDay(text: string, order: DateOrder): string | undefined {
  if (/^\d{4}-\d\d-\d\d(?:T[\d:.]+(?:Z|[+-]\d\d:?\d\d))?$/.test(text)) return text
  const iso = /^(\d{4})[-/](\d{1,2})[-/](\d{1,2})(?:[ T]\d{1,2}:\d\d.*)?$/.exec(text)
  if (iso) return toDay(iso[1]!, iso[2]!, iso[3]!)
  const parts = /^(\d{1,2})([./-])(\d{1,2})\2(\d{4})(?:[ T,]+\d{1,2}:\d\d.*)?$/.exec(text)
  if (!parts) return undefined
  const [, first = '', mark, second = '', year = ''] = parts
  const isDayFirst = mark === '.' || Number(first) > 12 || (order === 'dmy' && Number(second) <= 12)
  return isDayFirst ? toDay(year, second, first) : toDay(year, first, second)
}

function toDay(year: string, month: string, day: string): string | undefined {
  const text = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`
  const time = Date.parse(`${text}T00:00:00Z`)
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text) ? text : undefined
}

/** Which of both the days of a file use, if any of them shows it. */
export function guessDateOrder(texts: readonly string[]): DateOrder | undefined {
  for (const text of texts) {
    const [, first, second] = /^(\d{1,2})[/-](\d{1,2})[/-]\d{4}/.exec(text.trim()) ?? []
    if (Number(first) > 12) return 'dmy'
    if (Number(second) > 12) return 'mdy'
  }
  return undefined
}
