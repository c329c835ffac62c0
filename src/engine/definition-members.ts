/**
 * The members that campaign definitions are made of, as schemas: one bound and one wording for each kind of
 * value, wherever it stands. `x-unit` says what a number counts in, so that its decimals can be checked and
 * a form can show the right field. Bounds are chosen so that nothing accepted can overflow at a till.
 */
import { Type } from 'typebox'
import { maxMoney, maxUnits } from '../domain/money.ts'

/** Letters, digits, dot, underscore and dash: safe in URLs, as a member name, and to read out on the phone. */
export const Key = Type.String({ pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$' })
export const BalanceKey = Type.String({ ...Key, title: 'Balance', description: 'Key of the balance.' })
export const Name = Type.String({ title: 'Name', minLength: 1, maxLength: 200 })
const OpaqueId = Type.String({ minLength: 1, maxLength: 200 })

export const ProductFilter = Type.Array(OpaqueId, {
  title: 'Products',
  description: 'Only lines with one of these products count, or with one of the categories.',
  minItems: 1,
  maxItems: 1000,
})
export const CategoryFilter = Type.Array(OpaqueId, {
  title: 'Categories',
  description: 'Only lines with one of these categories count, or with one of the products.',
  minItems: 1,
  maxItems: 1000,
})
export const OpaqueIds = (title: string, description: string) =>
  Type.Array(OpaqueId, { title, description, minItems: 1, maxItems: 1000 })

/** A number of points or stamps, above zero, with the decimals of its balance. */
export const Units = (title: string, description: string) =>
  Type.Number({ title, description, exclusiveMinimum: 0, maximum: maxUnits, 'x-unit': 'balance' })

/** An amount of money above zero, with the decimals of the organization's currency. */
export const Money = (title: string, description: string) =>
  Type.Number({ title, description, exclusiveMinimum: 0, maximum: maxMoney, 'x-unit': 'money' })

export const Timestamp = (title: string, description: string) =>
  Type.String({ title, description, maxLength: 40, 'x-unit': 'time' })

export const closed = { additionalProperties: false } as const
