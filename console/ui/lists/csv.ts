/**
 * CSV for spreadsheets: RFC 4180 with a byte order mark; no cell can be executed as a formula. With a separator
 * other than the comma, a spreadsheet begins a cell after each of them, quotes or not.
 */
export function toCsv(rows: readonly (readonly (string | number | undefined)[])[]): string {
  return `\ufeff${rows.map((row) => row.map(cell).join(',')).join('\r\n')}\r\n`
}

function cell(value: string | number | undefined): string {
  if (value === undefined) return ''
  if (typeof value === 'number') return String(value)
  const isPhone = /^\+\d+$/.test(value)
  const safe = isPhone ? value : value.replaceAll(formulaStart, "$&'").replace(/^(?=[\t\r])/, "'")
  return `"${safe.replaceAll('"', '""')}"`
}

/**
 * Where a cell could begin with a sign that starts a formula, also in its full width: at the start, after the
 * usual separators, even with spaces between, and directly after any other character that is no letter, digit
 * or bracket. After a space, signs between words ("A - B") and single numbers ("-20%") start no formula.
 */
const sign = '[=+\\-@＝＋－＠]'
const formulaStart = new RegExp(
  [
    `(^|[;|:\\t\\r\\n])(?=[^\\S\\t\\r\\n]*${sign})`,
    `([^\\p{L}\\p{N}\\p{M}\\s()[\\]{}])(?=${sign})`,
    `(\\s)(?=${sign}\\S)(?![+-]\\d+(?:[.,]\\d+)?%?(?:\\s|$))`,
  ].join('|'),
  'gu',
)
