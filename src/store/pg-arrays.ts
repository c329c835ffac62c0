/**
 * Values in PostgreSQL's wire format. The driver's own conversion inspects every element of every array to
 * find its type; here the column is known. Arrays whose elements need no quotes are sent as text, those with
 * free text in PostgreSQL's binary form, which needs no quotes at all.
 */
import type { Id } from '../domain/ids.ts'
import { uuidOf } from './tenant.ts'

export function uuids(ids: readonly (Id | undefined)[]): string {
  return `{${ids.map((id) => (id === undefined ? 'NULL' : uuidOf(id))).join()}}`
}

export function numbers(values: readonly (number | undefined)[]): string {
  return `{${values.map((value) => value ?? 'NULL').join()}}`
}

export function booleans(values: readonly boolean[]): string {
  return `{${values.join()}}`
}

export function dates(values: readonly (string | undefined)[]): string {
  return `{${values.map((value) => value ?? 'NULL').join()}}`
}

export function times(values: readonly (Date | undefined)[]): string {
  return `{${values.map((value) => (value ? time(value) : 'NULL')).join()}}`
}

/** PostgreSQL has no year 0; the year before 1 is "1 BC". */
function time(value: Date): string {
  const year = value.getUTCFullYear()
  if (year >= 1 && year <= 9999) return value.toISOString()
  const rest = value.toISOString().replace(/^[+-]?\d+/, '')
  return year > 0 ? `"${year}${rest}"` : `"${String(1 - year).padStart(4, '0')}${rest} BC"`
}

const oid = { bytea: 17, text: 25, json: 114 } as const

export function texts(values: readonly (string | undefined)[]): Buffer {
  return binaryArray(oid.text, values)
}

export function jsons(values: readonly unknown[]): Buffer {
  return binaryArray(
    oid.json,
    values.map((value) => JSON.stringify(value)),
  )
}

export function byteas(values: readonly (Buffer | undefined)[]): Buffer {
  return binaryArray(oid.bytea, values)
}

/** One dimension that begins at 1; each element is its length and its bytes, or -1 for NULL. */
function binaryArray(elementType: number, values: readonly (string | Buffer | undefined)[]): Buffer {
  const sizes = values.map((value) => (value === undefined ? 0 : Buffer.byteLength(value)))
  let size = 20 + 4 * values.length
  for (const bytes of sizes) size += bytes
  const buffer = Buffer.allocUnsafe(size)
  buffer.writeInt32BE(values.length === 0 ? 0 : 1, 0)
  buffer.writeInt32BE(1, 4)
  buffer.writeInt32BE(elementType, 8)
  if (values.length === 0) return buffer.subarray(0, 12)
  buffer.writeInt32BE(values.length, 12)
  buffer.writeInt32BE(1, 16)
  let at = 20
  values.forEach((value, i) => {
    at = buffer.writeInt32BE(value === undefined ? -1 : sizes[i]!, at)
    if (typeof value === 'string') at += buffer.write(value, at, 'utf8')
    else if (value) at += value.copy(buffer, at)
  })
  return buffer
}
