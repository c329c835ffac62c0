import { expect, test } from 'vitest'
import { toCsv } from '../../console/ui/lists/csv.ts'

const cellOf = (value: string | number | undefined) => toCsv([[value]]).slice(1, -2)

test.each([
  ['=1+1', `"'=1+1"`],
  ['@SUM(A1)', `"'@SUM(A1)"`],
  ['+1+cmd', `"'+1+cmd"`],
  ['-1', `"'-1"`],
  [' =1+1', `"' =1+1"`],
  ['\t=1+1', `"'\t'=1+1"`],
  ['＝1+1', `"'＝1+1"`],
  [`a;=cmd|'/C calc'!A0`, `"a;'=cmd|'/C calc'!A0"`],
  ['a; =1', `"a;' '=1"`],
  ['a\n=1', `"a\n'=1"`],
  ['a|=1+1', `"a|'=1+1"`],
  ['a:=1+1', `"a:'=1+1"`],
  ['a | =1+1', `"a |' '=1+1"`],
  ['a =1+1', `"a '=1+1"`],
  ['a -2+cmd', `"a '-2+cmd"`],
  ['a\u00a0@SUM(A1)', `"a\u00a0'@SUM(A1)"`],
  ['a~=1', `"a~'=1"`],
  ['a^+1+cmd', `"a^'+1+cmd"`],
  ['"\n=1+1"', `"""\n'=1+1"""`],
])('%j cannot be run as a formula', (value, cell) => {
  expect(cellOf(value)).toBe(cell)
})

test.each([
  ['Ada "the first" Lovelace', '"Ada ""the first"" Lovelace"'],
  ['Lovelace, Ada', '"Lovelace, Ada"'],
  ['twenty-one + 1 = 22', '"twenty-one + 1 = 22"'],
  ['A - B', '"A - B"'],
  ['Tom & Co. (main)', '"Tom & Co. (main)"'],
  ['Café Nr. 1 - Süd', '"Café Nr. 1 - Süd"'],
  ['Anna (+1)', '"Anna (+1)"'],
  ['Winter sale -20%', '"Winter sale -20%"'],
  ['ada+shop@example.com', '"ada+shop@example.com"'],
  ['2026-11-17T09:00:00Z', '"2026-11-17T09:00:00Z"'],
  ['+12025550123', '"+12025550123"'],
  [-12.5, '-12.5'],
  [undefined, ''],
])('%j stays as it is', (value, cell) => {
  expect(cellOf(value)).toBe(cell)
})
