/**
 * CSV as spreadsheets write it: quotes, line breaks inside of them, CRLF, and a comma, a semicolon or a tab between
 * cells. Our own, since the same few lines have to run here and in the browser, on files that do not fit into memory.
 */

export type Delimiter = ',' | ';' | '\t'

/** The one that the header has most of, outside of quotes. */
export function guessDelimiter(text: string): Delimiter {
  const header = text.replaceAll(/"[^"]*"/g, '').split(/\r?\n/, 1)[0] ?? ''
  const count = (delimiter: string) => header.split(delimiter).length
  const [best] = ([',', ';', '\t'] as const).toSorted((a, b) => count(b) - count(a))
  return best!
}

export interface CsvReader {
  /** The records that are complete by now. */
  push(text: string): string[][]
  /** What is left at the end of the file. */
  end(): string[][]
}

export function createCsvReader(delimiter: Delimiter): CsvReader {
  let cells: string[] = []
  let cell = ''
  let isQuoted = false
  /** A quote inside of quotes: the end of the cell, or the first half of a quote. */
  let isEnding = false
  /** A line break was seen, of which a second half may follow. */
  let isAfterReturn = false
  const special = new RegExp(`["\\r\\n${delimiter === '\t' ? '\\t' : delimiter}]`, 'g')

  const endRecord = (records: string[][]) => {
    cells.push(cell)
    records.push(cells)
    cells = []
    cell = ''
  }
  return {
    push(text) {
      const records: string[][] = []
      let at = 0
      while (at < text.length) {
        if (isQuoted) {
          const quote = text.indexOf('"', at)
          cell += text.slice(at, quote === -1 ? text.length : quote)
          if (quote === -1) break
          isQuoted = false
          isEnding = true
          at = quote + 1
          continue
        }
        const next = text[at]!
        if (isEnding) {
          isEnding = false
          if (next === '"') {
            cell += '"'
            isQuoted = true
            at++
            continue
          }
        }
        if (isAfterReturn) {
          isAfterReturn = false
          if (next === '\n') {
            at++
            continue
          }
        }
        special.lastIndex = at
        const found = special.exec(text)?.index ?? text.length
        cell += text.slice(at, found)
        at = found + 1
        const mark = text[found]
        if (mark === undefined) break
        if (mark === '"') {
          // Only at the start of a cell; elsewhere it is a character like others.
          if (cell === '') isQuoted = true
          else cell += '"'
        } else if (mark === delimiter) {
          cells.push(cell)
          cell = ''
        } else {
          isAfterReturn = mark === '\r'
          endRecord(records)
        }
      }
      return records
    },
    end() {
      const records: string[][] = []
      if (cell !== '' || cells.length > 0) endRecord(records)
      return records
    },
  }
}

/** A line of a file, ended as spreadsheets expect. */
export function toCsvLine(
  cells: readonly (string | number | undefined)[],
  delimiter: Delimiter = ',',
): string {
  return `${cells.map(toCell).join(delimiter)}\r\n`
}

function toCell(value: string | number | undefined): string {
  if (value === undefined) return ''
  if (typeof value === 'number') return String(value)
  const safe = defuse(value)
  return /[",;\t\r\n']/.test(safe) || safe !== safe.trim() ? `"${safe.replaceAll('"', '""')}"` : safe
}

const formula = /^[=+\-@\t\r＝＋－＠]/

/** A spreadsheet takes what begins like this for a formula, which may send the rest of the table anywhere. */
function defuse(text: string): string {
  return formula.test(text) || /^'+[=+\-@\t\r＝＋－＠]/.test(text) ? `'${text}` : text
}

/** What was written by `toCsvLine`, as it was. */
export function restoreCell(text: string): string {
  return /^'+[=+\-@\t\r＝＋－＠]/.test(text) ? text.slice(1) : text
}
