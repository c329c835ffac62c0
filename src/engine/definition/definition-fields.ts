/**
 * The fields of campaign definitions, as schemas: one bound and one wording for each kind of value. Merchants
 * read the titles and descriptions in the console's forms, which are generated from them. `x-unit` says what
 * a value counts in, so that its decimals can be checked and a form can show the right input; `x-names` says
 * which list the values are taken from, `x-labels` holds the labels of a choice or of yes and no, and
 * `x-sentence` is a summary of an object with its fields in braces. Bounds are chosen so that no accepted
 * value can overflow at a till.
 */
import { Type } from 'typebox'
import { maxMoney, maxUnits } from '../../domain/money.ts'
import { keyPattern } from '../../domain/validation-error.ts'

export const Key = (title: string, description: string, options: object = {}) =>
  Type.String({ pattern: keyPattern, title, description, ...options })
export const BalanceKey = Key('Balance', 'The key of the balance this applies to.', {
  'x-names': 'balances',
})
export const Name = (description: string) =>
  Type.String({ title: 'Name', description, minLength: 1, maxLength: 200 })
const OpaqueId = Type.String({ minLength: 1, maxLength: 200 })

export const ProductFilter = Type.Array(OpaqueId, {
  title: 'Products',
  description:
    'Only these products count, in addition to those in the selected categories. Leave empty to count everything.',
  minItems: 1,
  maxItems: 1000,
  'x-names': 'products',
})
export const CategoryFilter = Type.Array(OpaqueId, {
  title: 'Categories',
  description: 'Only products in these categories count, in addition to the selected products.',
  minItems: 1,
  maxItems: 1000,
  'x-names': 'categories',
})
export const OpaqueIds = (
  title: string,
  names: 'products' | 'categories' | 'branches',
  description: string,
) => Type.Array(OpaqueId, { title, description, minItems: 1, maxItems: 1000, 'x-names': names })

/** A number of points or stamps, above zero, with the decimals of its balance. */
export const Units = (title: string, description: string) =>
  Type.Number({ title, description, exclusiveMinimum: 0, maximum: maxUnits, 'x-unit': 'balance' })

/** An amount of money above zero, with the decimals of the organization's currency. */
export const Money = (title: string, description: string) =>
  Type.Number({ title, description, exclusiveMinimum: 0, maximum: maxMoney, 'x-unit': 'money' })

export const Timestamp = (title: string, description: string) =>
  Type.String({ title, description, maxLength: 40, 'x-unit': 'time' })

/** A choice of values, each with its label in a form. */
export const Choice = <const T extends string>(labels: Record<T, string>, options: object = {}) =>
  Type.Enum(Object.keys(labels) as T[], { ...options, 'x-labels': labels })

export const closed = { additionalProperties: false } as const

export const Expires = Type.Object(
  {
    after: Type.Optional(
      Type.String({
        title: 'Valid for',
        description:
          'How long points can be used after they are earned; each amount expires separately. An ISO 8601 duration: P12M is twelve months, P90D ninety days.',
        'x-unit': 'duration',
      }),
    ),
    endOf: Type.Optional(
      Choice(
        { day: 'End of the day', month: 'End of the month', year: 'End of the year' },
        {
          title: 'Until the end of',
          description: 'Extends the expiry to the end of that day, month or year.',
        },
      ),
    ),
    inactivity: Type.Optional(
      Type.String({
        title: 'Without a purchase for',
        description:
          'The whole balance expires when the customer has bought nothing for this long. An ISO 8601 duration: P6M is six months.',
        'x-unit': 'duration',
      }),
    ),
  },
  { ...closed, title: 'Expires', description: 'When points expire. Leave empty for no expiry.' },
)
