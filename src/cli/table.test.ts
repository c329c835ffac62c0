import { expect, test } from 'vitest'
import { cut, toFields, toTable, widthOf } from './table.ts'

test.each([
  ['abc', 3],
  ['Ångström', 8],
  ['A\u030angstro\u0308m', 8],
  ['王小明', 6],
  ['한국', 4],
  ['☕', 2],
  ['👩‍👩‍👧', 2],
  ['🇩🇪', 2],
  ['ａ', 2],
  ['سلام', 4],
  ['', 0],
])('%s takes %i columns', (text, width) => expect(widthOf(text)).toBe(width))

test('columns align by what is seen, not by how it is encoded', () => {
  expect(
    toTable(
      ['name', 'n'],
      [
        ['王小明', '1'],
        ['Ada', '2'],
      ],
    ),
  ).toBe('name    n\n王小明  1\nAda     2')
})

const id = `cus_${'0'.repeat(32)}`

test('a table is cut to its terminal, but never an ID in it', () => {
  const rows = [[id, 'A name that is rather long', 'x']]
  const table = toTable(['id', 'name', 'x'], rows, { columns: 52 })
  expect(table.split('\n')[1]).toBe(`${id}  A name tha…  x`)
  expect(toTable(['id', 'name', 'x'], rows)).toContain('rather long')
  expect(toTable(['id', 'name', 'x'], rows, { columns: 10 })).toContain(id)
})

test('a wide letter is never cut in half', () => {
  expect(cut('王小明', 4)).toBe('王…')
  expect(cut('王小明', 5)).toBe('王小…')
  expect(cut('Ada', 3)).toBe('Ada')
})

test('what somebody has typed cannot steer the terminal', () => {
  const text = toTable(['name'], [['\u001b[2JAda\r\n\u202eevil\u0007']])
  expect(text).toBe('name\n [2JAda evil')
  expect(
    toFields([
      ['Name', 'a\u001b[31m'],
      ['Email', undefined],
    ]),
  ).toBe('Name  a [31m')
})
