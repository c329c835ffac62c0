/** Turns a record of a file into a row that the service takes, by the mapping of its columns. */
import type {
  ImportBalance,
  ImportCard,
  ImportKind,
  ImportLot,
  ImportRow,
  RowProblem,
} from '../domain/import.ts'
import type { Mapping } from './columns.ts'
import type { FileRecord } from './read-file.ts'
import { type DateOrder, readAmount, readAnswer, readDay } from './read-values.ts'
import { createSeenKeys, type SeenKeys } from './seen-keys.ts'

export interface MapOptions {
  readonly kind: ImportKind
  readonly mapping: Mapping
  readonly dateOrder: DateOrder
}

const longest = 5_000
const maxLots = 100

interface DraftBalance {
  amount?: number
  expires?: string
  total?: number
  lots?: ImportLot[]
}

/** A row that is being put together. */
interface Draft {
  readonly texts: Map<string, string>
  readonly consents: Record<string, boolean>
  readonly metaData: Record<string, unknown>
  readonly cards: ImportCard[]
  readonly balances: Map<string, DraftBalance>
  readonly dateOrder: DateOrder
  readonly hasDecimalComma: boolean
  readonly problems: RowProblem[]
}

/** Reads rows one after the other, and knows what the earlier ones had. */
export function createRowMapper({ kind, mapping, dateOrder }: MapOptions): (record: FileRecord) => ImportRow {
  const columns = Object.entries(mapping).filter(([, field]) => field !== '')
  const seen = createSeenKeys()
  return ({ row, values, hasDecimalComma = false }) => {
    if (!values) return { row, problems: [{ field: 'row', code: 'unreadable' }] }
    const draft: Draft = {
      texts: new Map(),
      consents: {},
      metaData: {},
      cards: [],
      balances: new Map(),
      dateOrder,
      hasDecimalComma,
      problems: [],
    }
    for (const [column, field] of columns) readField(draft, field, values[column])
    const mapped = kind === 'customers' ? toCustomer(row, draft) : toEntry(row, draft)
    const problems = [...draft.problems, ...findDuplicates(mapped, seen)]
    return problems.length > 0 ? { ...mapped, problems } : mapped
  }
}

function readField(draft: Draft, field: string, value: unknown): void {
  if (value === undefined || value === null || value === '') return
  const add = (code: RowProblem['code'], of = field) => {
    draft.problems.push({ field: of, code })
  }
  if (typeof value === 'object') {
    if (!readObject(draft, field, value)) add('invalid')
    return
  }
  const text = String(value).trim()
  if (text === '') return
  if (text.length > longest) add('too_long')
  else if (text.includes('\0')) add('invalid')
  else readText(draft, field, text, add)
}

function readText(
  draft: Draft,
  field: string,
  text: string,
  add: (code: RowProblem['code'], of?: string) => void,
): void {
  const [kind = '', ...rest] = field.split(':')
  const name = rest.join(':')
  if (kind === 'balance') readBalance(draft, name, text)
  else if (kind === 'meta') draft.metaData[name] = text
  else if (kind === 'barcode') {
    // A spreadsheet has taken it for a number, and its last digits are gone.
    if (/^\d(?:[.,]\d+)?E\+?\d+$/i.test(text)) add('invalid', 'barcode')
    else draft.cards.push({ ...(name && { campaign: name }), barcode: text })
  } else if (kind === 'consent') {
    const answer = readAnswer(text)
    if (answer === undefined) add('invalid', 'consents')
    else draft.consents[name] = answer
  } else if (kind === 'consents') readConsents(draft, text)
  else if (kind === 'metaData') readMetaData(draft, text)
  else if (kind === 'cards' || kind === 'balances') add('invalid')
  // Shops put an apostrophe before numbers, so that spreadsheets leave them alone.
  else draft.texts.set(kind, text.replace(/^'(?=[+\d])/, ''))
}

const named = (field: string) => `balances.${field.replace(':', '.').replace(/\.expires$/, '.expiresAt')}`

function readBalance(draft: Draft, name: string, text: string): void {
  const [, key = '', part = ''] = /^(.+?)(?::(expires|total|lots))?$/.exec(name) ?? []
  const balance = draft.balances.get(key) ?? {}
  draft.balances.set(key, balance)
  const add = () => {
    draft.problems.push({ field: named(name), code: 'invalid' })
  }
  if (part === 'expires') {
    balance.expires = readDay(text, draft.dateOrder)
    if (balance.expires === undefined) add()
  } else if (part === 'lots') {
    balance.lots = readLots(text, draft)
    if (balance.lots === undefined) add()
  } else {
    const amount = readAmount(text, draft.hasDecimalComma)
    if (amount === undefined) add()
    else if (part === 'total') balance.total = amount
    else balance.amount = amount
  }
}

/** As exports write them: `120 until 2027-01-31; 30`. */
function readLots(text: string, { dateOrder, hasDecimalComma }: Draft): ImportLot[] | undefined {
  const lots = text.split(';').flatMap((part): (ImportLot | undefined)[] => {
    const [amount = '', day, ...others] = part.trim().split(/\s+(?:until\s+)?/)
    if (amount === '') return []
    const units = readAmount(amount, hasDecimalComma)
    const expiresAt = day === undefined ? undefined : readDay(day, dateOrder)
    if (units === undefined || others.length > 0 || (day !== undefined && expiresAt === undefined))
      return [undefined]
    return [{ amount: units, ...(expiresAt !== undefined && { expiresAt }) }]
  })
  const read = lots.filter((lot) => lot !== undefined)
  return read.length === lots.length && read.length <= maxLots ? read : undefined
}

/** As exports write them: `marketing=yes; sms=no`. */
function readConsents(draft: Draft, text: string): void {
  for (const part of text.split(';')) {
    const [purpose = '', given = ''] = part.split('=').map((piece) => piece.trim())
    if (purpose === '' && given === '') continue
    const answer = readAnswer(given)
    if (answer === undefined || purpose.length > 64)
      draft.problems.push({ field: 'consents', code: 'invalid' })
    else draft.consents[purpose] = answer
  }
}

function readMetaData(draft: Draft, text: string): void {
  try {
    if (readObject(draft, 'metaData', JSON.parse(text))) return
  } catch {
    // The same as for a value of another type.
  }
  draft.problems.push({ field: 'metaData', code: 'invalid' })
}

type Json = Record<string, unknown>
const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const isText = (value: unknown): value is string | undefined =>
  value === undefined || (typeof value === 'string' && value.length <= longest)
const isNumber = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value)

/** What NDJSON has besides texts and numbers. False if it is not what the field takes. */
function readObject(draft: Draft, field: string, value: unknown): boolean {
  if (field === 'metaData') {
    if (!isObject(value) || depthOf(value) > 16) return false
    Object.assign(draft.metaData, value)
    return true
  }
  if (field === 'consents') {
    const isRight = isObject(value) && Object.values(value).every((given) => typeof given === 'boolean')
    if (isRight && Object.keys(value).length <= 50) Object.assign(draft.consents, value)
    return isRight && Object.keys(value).length <= 50
  }
  if (!Array.isArray(value) || value.length > maxLots) return false
  if (field === 'cards') {
    const isRight = value.every((card) => isObject(card) && isText(card.campaign) && isText(card.barcode))
    if (isRight) draft.cards.push(...value.map(({ campaign, barcode }) => ({ campaign, barcode })))
    return isRight
  }
  return field === 'balances' && value.every((balance) => readBalanceObject(draft, balance))
}

function readBalanceObject(draft: Draft, value: unknown): boolean {
  if (!isObject(value) || typeof value.key !== 'string' || value.key.length > 64) return false
  const { key, total, lots } = value
  if (total !== undefined && !isNumber(total)) return false
  if (!Array.isArray(lots) || lots.length > maxLots) return false
  const isRight = lots.every(
    (lot) =>
      isObject(lot) && isNumber(lot.amount) && isText(lot.expiresAt) && (lot.expiresAt?.length ?? 0) <= 40,
  )
  if (isRight)
    draft.balances.set(key, { total, lots: lots.map(({ amount, expiresAt }) => ({ amount, expiresAt })) })
  return isRight
}

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  return 1 + Object.values(value).reduce((most: number, part) => Math.max(most, depthOf(part)), 0)
}

function toCustomer(row: number, { texts, consents, metaData, cards, balances }: Draft): ImportRow {
  const name = [texts.get('firstName'), texts.get('lastName')].filter(Boolean).join(' ')
  const fields = {
    opaqueId: texts.get('opaqueId'),
    fullname: texts.get('fullname') ?? (name || undefined),
    email: texts.get('email'),
    phone: texts.get('phone'),
    language: texts.get('language'),
    consents: Object.keys(consents).length > 0 ? consents : undefined,
    metaData: Object.keys(metaData).length > 0 ? metaData : undefined,
    cards: cards.length > 0 ? cards : undefined,
    balances: balances.size > 0 ? [...balances].map(toBalance) : undefined,
  }
  return { row, ...withoutAbsent(fields) }
}

function toBalance([key, { amount, expires, total, lots }]: [string, DraftBalance]): ImportBalance {
  const one = amount === undefined ? [] : [{ amount, ...(expires !== undefined && { expiresAt: expires }) }]
  return { key, ...(total !== undefined && { total }), lots: lots ?? one }
}

function toEntry(row: number, { texts, problems, hasDecimalComma }: Draft): ImportRow {
  const price = texts.get('price')
  const amount = price === undefined ? undefined : readAmount(price, hasDecimalComma)
  if (price !== undefined && amount === undefined) problems.push({ field: 'price', code: 'invalid' })
  const [opaqueId, name, category] = ['opaqueId', 'name', 'category'].map((field) => texts.get(field))
  return { row, ...withoutAbsent({ opaqueId, name, category, price: amount }) }
}

/** The same row is the same text, whichever way it was read. */
const withoutAbsent = <T extends object>(fields: T): Partial<T> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Partial<T>

/** By what the file says: the service finds those that are only spelled differently. */
function findDuplicates(
  { row, opaqueId, email, phone, cards = [] }: ImportRow,
  seen: SeenKeys,
): RowProblem[] {
  const keys: [field: string, key: string | undefined][] = [
    ...cards.map(({ barcode }): [string, string | undefined] => ['barcode', barcode]),
    ['opaqueId', opaqueId],
    ['email', email?.toLowerCase()],
    ['phone', phone?.replaceAll(/[^\d+]/g, '')],
  ]
  return keys.flatMap(([field, key]) => {
    const otherRow = key ? seen.note(`${field} ${key}`, row) : undefined
    return otherRow === undefined ? [] : [{ field, code: 'duplicate' as const, otherRow }]
  })
}
