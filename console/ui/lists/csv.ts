/**
 * CSV for spreadsheets: RFC 4180 with a byte order mark; no cell can be executed as a formula. Where lists are
 * separated by semicolons, a spreadsheet begins a cell after each of them, quotes or not.
 */
export function toCsv(rows: readonly (readonly (string | number | undefined)[])[]): string {
  return `\ufeff${rows.map((row) => row.map(cell).join(',')).join('\r\n')}\r\n`
}

function cell(value: string | number | undefined): string {
  if (value === undefined) return ''
  if (typeof value === 'number') return String(value)
  const isPhone = /^\+\d+$/.test(value)
  const safe = isPhone ? value : value.replaceAll(formulaStart, "$1'").replace(/^(?=[\t\r])/, "'")
  return `"${safe.replaceAll('"', '""')}"`
}

/** At the start of a cell, in whatever separators; the signs also in their full width. */
const formulaStart = /(^|[;\t\r\n])(?= *[=+\-@＝＋－＠])/g
