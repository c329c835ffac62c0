import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { guessMapping, isField, type Surroundings } from './columns.ts'
import { createRowMapper } from './map-row.ts'
import { decode, type FileFormat, type FileRecord, readRecords } from './read-file.ts'

const around: Surroundings = {
  kind: 'customers',
  balances: [
    { key: 'points', name: 'Points' },
    { key: 'stamps', name: 'Stamps' },
  ],
  campaigns: ['Coffee club'],
}
const folder = join(import.meta.dirname, '../../test/files')

async function read(bytes: Uint8Array, format: FileFormat = 'csv') {
  const pieces = async function* () {
    for (let at = 0; at < bytes.length; at += 7) yield bytes.subarray(at, at + 7)
  }
  const records: FileRecord[] = []
  for await (const record of readRecords(decode(pieces()), format)) records.push(record)
  return records
}

const mappingOf = async (name: string, kind: Surroundings['kind'] = 'customers') => {
  const records = await read(readFileSync(join(folder, name)))
  const mapping = guessMapping(Object.keys(records[0]!.values!), { ...around, kind })
  const toRow = createRowMapper({ kind, mapping, dateOrder: 'dmy' })
  return { mapping, rows: records.map(toRow) }
}

test('the columns of Square are understood', async () => {
  const { mapping, rows } = await mappingOf('square.csv')
  expect(mapping).toEqual({
    'Reference ID': 'opaqueId',
    'First Name': 'firstName',
    'Last Name': 'lastName',
    'Email Address': 'email',
    'Phone Number': 'phone',
    Birthday: 'meta:birthday',
    'Email Subscription Status': 'consent:marketing',
    'Points Balance': 'balance:points',
  })
  expect(rows[1]).toEqual({
    row: 3,
    fullname: 'Grace Hopper',
    email: 'grace@example.com',
    phone: '(202) 555-0147',
    consents: { marketing: false },
    balances: [{ key: 'points', lots: [{ amount: 1250 }] }],
  })
})

test('the columns of Shopify and of Smile are understood', async () => {
  const shopify = await mappingOf('shopify.csv')
  expect(shopify.mapping).toMatchObject({
    'Customer ID': 'opaqueId',
    'Accepts Email Marketing': 'consent:marketing',
  })
  expect(shopify.rows[0]).toMatchObject({
    opaqueId: '6543210000001',
    phone: '+12025550123',
    consents: { marketing: true },
  })
  // The note of the second customer has a line break in it.
  expect(shopify.rows.map(({ row }) => row)).toEqual([2, 3])
  expect((await mappingOf('smile.csv')).mapping).toEqual({ email: 'email', points: 'balance:points' })
})

test('of the stamps of Stamp Me, the active ones are those on the card', async () => {
  const { mapping, rows } = await mappingOf('stamp-me.csv')
  expect(mapping).toMatchObject({ Stamps: 'balance:stamps:total', 'Active Stamps': 'balance:stamps' })
  expect(rows[0]!.balances).toEqual([{ key: 'stamps', total: 17, lots: [{ amount: 7 }] }])
})

test('a German spreadsheet is understood, and what is wrong is named', async () => {
  const { rows } = await mappingOf('spreadsheet.csv')
  expect(rows).toEqual([
    {
      row: 2,
      opaqueId: '1001',
      fullname: 'Jürgen Müller',
      email: 'juergen@example.com',
      phone: '+43 664 1234567',
      consents: { marketing: true },
      metaData: { birthday: '24.12.1980' },
      cards: [{ barcode: '4006381333931' }],
      balances: [{ key: 'points', lots: [{ amount: 1250, expiresAt: '2099-12-31' }] }],
    },
    expect.objectContaining({ row: 3 }),
    expect.objectContaining({
      row: 4,
      problems: [
        { field: 'balances.points', code: 'invalid' },
        { field: 'consents', code: 'invalid' },
      ],
    }),
  ])
})

test('products and branches are understood', async () => {
  const products = await mappingOf('products.csv', 'products')
  expect(products.rows).toEqual([
    { row: 2, opaqueId: 'latte', name: 'Caffè Latte', category: 'coffee', price: 3.8 },
    { row: 3, opaqueId: 'beans', name: 'House beans, 250 g', category: 'retail', price: 12.5 },
  ])
  const branches = await mappingOf('branches.csv', 'branches')
  expect(branches.rows[0]).toEqual({ row: 2, opaqueId: 'main', name: 'Main Street' })
})

test('every guess is a field, for every file that there is', async () => {
  for (const name of readdirSync(folder)) {
    const kind = name === 'products.csv' ? 'products' : name === 'branches.csv' ? 'branches' : 'customers'
    const { mapping } = await mappingOf(name, kind)
    for (const field of Object.values(mapping)) expect(isField(field, { ...around, kind })).toBe(true)
  }
})

test('NDJSON may have lists and objects; what it cannot have is named', async () => {
  const lines = [
    '{"email":"a@example.com","cards":[{"barcode":"4711"}],"balances":[{"key":"points","lots":[{"amount":5}]}],"consents":{"marketing":true}}',
    '',
    '[]',
    '{"email":"a\\u0000"}',
    '{"balances":[{"key":"points","lots":[{"amount":"5"}]}]}',
    '{"email":"A@Example.com"}',
  ].join('\n')
  const records = await read(new TextEncoder().encode(lines), 'ndjson')
  const mapping = guessMapping(['email', 'cards', 'balances', 'consents'], around)
  const toRow = createRowMapper({ kind: 'customers', mapping, dateOrder: 'dmy' })
  expect(records.map(toRow)).toEqual([
    {
      row: 1,
      email: 'a@example.com',
      consents: { marketing: true },
      cards: [{ barcode: '4711' }],
      balances: [{ key: 'points', lots: [{ amount: 5 }] }],
    },
    { row: 3, problems: [{ field: 'row', code: 'unreadable' }] },
    { row: 4, problems: [{ field: 'row', code: 'unreadable' }] },
    { row: 5, problems: [{ field: 'balances', code: 'invalid' }] },
    { row: 6, email: 'A@Example.com', problems: [{ field: 'email', code: 'duplicate', otherRow: 1 }] },
  ])
})

test('a file that is not UTF-8 says what to do', async () => {
  await expect(read(new Uint8Array([110, 97, 109, 101, 10, 0xfc, 10]))).rejects.toThrow(/CSV UTF-8/)
})
