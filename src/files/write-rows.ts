/** Writes customers, products and branches in a form that can be imported again. */
import type { ImportBalance, ImportKind, ImportRow } from '../domain/import.ts'
import type { Surroundings } from './columns.ts'
import { toCsvLine } from './csv.ts'
import type { FileFormat } from './read-file.ts'

type Written = Omit<ImportRow, 'row' | 'problems'>

/** The header of a file, empty for NDJSON. Begins with a byte order mark, by which spreadsheets know UTF-8. */
export function toHeader(format: FileFormat, around: Surroundings): string {
  return format === 'csv' ? `\ufeff${toCsvLine(columnsOf(around).map(([name]) => name))}` : ''
}

export function toLine(format: FileFormat, around: Surroundings, row: Written): string {
  if (format === 'ndjson') return `${JSON.stringify(pick(around.kind, row))}\n`
  return toCsvLine(columnsOf(around).map(([, read]) => read(row)))
}

const fields: Record<ImportKind, readonly (keyof Written)[]> = {
  customers: [
    'opaqueId',
    'fullname',
    'email',
    'phone',
    'language',
    'consents',
    'metaData',
    'cards',
    'balances',
  ],
  products: ['opaqueId', 'name', 'category', 'price'],
  branches: ['opaqueId', 'name'],
}

const pick = (kind: ImportKind, row: Written) =>
  Object.fromEntries(fields[kind].flatMap((field) => (row[field] === undefined ? [] : [[field, row[field]]])))

type Column = readonly [name: string, read: (row: Written) => string | number | undefined]

/** Named after their fields, so that no guess is needed when the file is imported. */
function columnsOf({ kind, balances, campaigns }: Surroundings): Column[] {
  if (kind !== 'customers')
    return fields[kind].map((field): Column => [field, (row) => row[field] as string | number | undefined])
  return [
    ...(['opaqueId', 'fullname', 'email', 'phone', 'language'] as const).map(
      (field): Column => [field, (row) => row[field]],
    ),
    ['consents', ({ consents }) => consents && toAnswers(consents)],
    ['metaData', ({ metaData }) => metaData && JSON.stringify(metaData)],
    ...campaigns.map(
      (name): Column => [
        `barcode:${name}`,
        ({ cards }) => cards?.find(({ campaign }) => campaign === name)?.barcode,
      ],
    ),
    ...balances.flatMap(({ key }): Column[] => {
      const find = (row: Written) => row.balances?.find((balance) => balance.key === key)
      return [
        [`balance:${key}:lots`, (row) => toLots(find(row))],
        [`balance:${key}:total`, (row) => find(row)?.total],
      ]
    }),
  ]
}

const toAnswers = (consents: NonNullable<Written['consents']>) =>
  Object.entries(consents)
    .map(([purpose, given]) => `${purpose}=${given ? 'yes' : 'no'}`)
    .join('; ')

/** Empty for nothing, so that the balance is opened with zero. */
const toLots = (balance: ImportBalance | undefined) =>
  balance?.lots
    .map(({ amount, expiresAt }) => (expiresAt === undefined ? `${amount}` : `${amount} until ${expiresAt}`))
    .join('; ')
