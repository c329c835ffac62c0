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

interface ReaderState {
  cells: string[]
  cell: string
  isQuoted: boolean
  /** A quote inside of quotes: the end of the cell, or the first half of a quote. */
  isEnding: boolean
  /** A line break was seen, of which a second half may follow. */
  isAfterReturn: boolean
}

export function createCsvReader(delimiter: Delimiter): CsvReader {
  const state: ReaderState = { cells: [], cell: '', isQuoted: false, isEnding: false, isAfterReturn: false }
  const special = new RegExp(`["\\r\\n${delimiter === '\t' ? '\\t' : delimiter}]`, 'g')
  return {
    push(text) {
      const records: string[][] = []
      for (let at = 0; at < text.length; ) {
        if (state.isQuoted) {
          at = readQuoted(state, text, at)
          continue
        }
        if (isSecondHalf(state, text[at]!)) {
          at++
          continue
        }
        special.lastIndex = at
        const found = special.exec(text)?.index ?? text.length
        state.cell += text.slice(at, found)
        at = found + 1
        if (found < text.length) readMark(state, text[found]!, delimiter, records)
      }
      return records
    },
    end() {
      const records: string[][] = []
      if (state.cell !== '' || state.cells.length > 0) endRecord(state, records)
      return records
    },
  }
}

function readQuoted(state: ReaderState, text: string, at: number): number {
  const quote = text.indexOf('"', at)
  state.cell += text.slice(at, quote === -1 ? text.length : quote)
  if (quote === -1) return text.length
  state.isQuoted = false
  state.isEnding = true
  return quote + 1
}

/** Whether the character belongs to the one before it. */
function isSecondHalf(state: ReaderState, next: string): boolean {
  const { isEnding, isAfterReturn } = state
  state.isEnding = false
  state.isAfterReturn = false
  if (isAfterReturn && next === '\n') return true
  if (!isEnding || next !== '"') return false
  state.cell += '"'
  state.isQuoted = true
  return true
}

function readMark(state: ReaderState, mark: string, delimiter: Delimiter, records: string[][]): void {
  if (mark === '"') {
    // Only at the start of a cell; elsewhere it is a character like others.
    if (state.cell === '') state.isQuoted = true
    else state.cell += '"'
  } else if (mark === delimiter) {
    state.cells.push(state.cell)
    state.cell = ''
  } else {
    state.isAfterReturn = mark === '\r'
    endRecord(state, records)
  }
}

function endRecord(state: ReaderState, records: string[][]): void {
  state.cells.push(state.cell)
  records.push(state.cells)
  state.cells = []
  state.cell = ''
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
