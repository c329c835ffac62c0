import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createCsvReader, guessDelimiter, restoreCell, toCsvLine } from './csv.ts'

/** Read in pieces of this size. */
function read(text: string, size = text.length, delimiter = guessDelimiter(text)): string[][] {
  const reader = createCsvReader(delimiter)
  const records: string[][] = []
  for (let at = 0; at < text.length; at += Math.max(1, size))
    records.push(...reader.push(text.slice(at, at + Math.max(1, size))))
  return [...records, ...reader.end()]
}

test.each([
  [
    'cells and line breaks of any kind',
    'a,b\r\n1,2\n3,4\r5,6',
    [
      ['a', 'b'],
      ['1', '2'],
      ['3', '4'],
      ['5', '6'],
    ],
  ],
  [
    'semicolons',
    'a;b\n1,5;2\n',
    [
      ['a', 'b'],
      ['1,5', '2'],
    ],
  ],
  [
    'tabs',
    'a\tb\n1\t2',
    [
      ['a', 'b'],
      ['1', '2'],
    ],
  ],
  [
    'quotes, with what they may contain',
    'a,b\n"1,\r\n2","say ""hi"""\n',
    [
      ['a', 'b'],
      ['1,\r\n2', 'say "hi"'],
    ],
  ],
  ['a quote in the middle of a cell', 'a\n5" pipe\n', [['a'], ['5" pipe']]],
  [
    'empty cells and an empty quoted one',
    'a,b,c\n,"",\n',
    [
      ['a', 'b', 'c'],
      ['', '', ''],
    ],
  ],
])('reads %s, however it is cut', (_, text, records) => {
  for (const size of [1, 2, 3, 5, 1000]) expect(read(text, size)).toEqual(records)
})

test('what is written is read again, and no cell begins like a formula', () => {
  const cell = fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 12 }),
    fc.string({ unit: fc.constantFrom('"', "'", ',', ';', '\r', '\n', '\t', '=', '+', '-', '@', 'a', ' ') }),
  )
  fc.assert(
    fc.property(fc.array(cell, { minLength: 2, maxLength: 5 }), fc.nat(7), (cells, size) => {
      const [record] = read(toCsvLine(cells), size + 1, ',')
      expect(record!.map(restoreCell)).toEqual(cells)
      for (const written of record!) expect(written).not.toMatch(/^[=+\-@\t\r]/)
    }),
  )
})
