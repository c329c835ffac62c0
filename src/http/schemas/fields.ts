/** Fields that several schemas share. Every string has a maximum length: a name never needs a megabyte. */
import { type TSchema, Type } from 'typebox'
import { maxMoney } from '../../domain/money.ts'
import { keyPattern } from '../../domain/validation-error.ts'
import { named, parameter } from '../openapi/name-components.ts'
import { exampleId } from './examples.ts'

export const Text = (maxLength: number, options: object = {}) => Type.String({ maxLength, ...options })

const nouns: Record<string, string> = {
  aud: 'entry',
  brn: 'branch',
  card: 'card',
  cmp: 'campaign',
  con: 'connection',
  cpn: 'coupon',
  cus: 'customer',
  dlv: 'delivery',
  evt: 'event',
  imp: 'import',
  int: 'integration',
  msg: 'message',
  org: 'organization',
  prd: 'product',
  psn: 'person',
  rcv: 'received message',
  req: 'logged request',
  ret: 'return',
  src: 'source',
  txn: 'transaction',
  usr: 'user',
  whk: 'webhook',
}

/** An ID has no maximum length: a malformed one is simply not found. */
export const Id = (prefix: string, description = `ID of the ${nouns[prefix]}.`) =>
  Type.String({ description, examples: [exampleId(prefix)] })
export const OpaqueId = (description: string, options: object = {}) =>
  Type.String({ minLength: 1, maxLength: 255, description, ...options })
/** Key of something in a campaign. */
export const Key = (description: string) => Type.String({ pattern: keyPattern, description })
export const Timestamp = (description: string) =>
  Type.String({ format: 'date-time', maxLength: 40, description })
export const CreatedAt = Timestamp('When it was created.')
export const UpdatedAt = Timestamp('When it was last changed.')
/** Start of a time range, with `RangeEnd`; parsed by `toTimeRange`. */
export const RangeStart = (what: string, more = '') =>
  Type.Optional(
    Text(40, {
      description: `${what} on or after this day (in the organization's time zone), or at or after this time.${more}`,
      examples: ['2026-03-14'],
    }),
  )
/** The parameter at which the range starts says of what it is. */
export const RangeEnd = (start: string, options: object = {}) =>
  Type.Optional(
    Text(40, {
      description: `The end of the range of \`${start}\`: on or before this day, or before this time.`,
      examples: ['2026-03-14T09:26:53Z'],
      ...options,
    }),
  )
const To = RangeEnd('from', parameter('RangeEnd'))
export const RangeQuery = (what: string) => ({ from: RangeStart(what), to: To })
export const OfCustomer = Type.Optional(
  Type.String({ ...Id('cus', 'Only those of this customer.'), ...parameter('OfCustomer') }),
)
export const CustomerName = Type.String({
  description:
    'The name, or else the phone number or the email address. Absent if unknown, and for tills in `GET /v1/transactions`.',
  examples: ['Ada Lovelace'],
})
export const Money = (description?: string, options: object = {}) =>
  Type.Number({ minimum: 0, maximum: maxMoney, description, ...options })
export const FreeForm = (description: string) =>
  Type.Unsafe<Record<string, unknown>>({
    type: 'object',
    additionalProperties: true,
    description,
    examples: [{ source: 'till' }],
  })
export const Nullable = <T extends TSchema>(schema: T, description?: string) =>
  Type.Union([schema, Type.Null()], description === undefined ? {} : { description })
export const Optional = Type.Optional
export const NoBody = Type.Object(
  {},
  { ...named('NoBody'), description: 'Nothing to say: the body may be empty.', examples: [{}] },
)
/** The response to a request whose outcome is not told. */
export const Accepted = Type.Object({}, { ...named('Accepted'), examples: [{}] })
/** Not the keyword `default`, which makes some generators of clients require the property. */
export const byDefault = (value: number) => ({ 'x-default': value })

/** How many rows of a file came to what. */
export const importCounts = {
  created: Type.Integer({ description: 'Rows that were new.' }),
  updated: Type.Integer({ description: 'Rows that changed something that was there.' }),
  unchanged: Type.Integer({ description: 'Rows that changed nothing.' }),
  rejected: Type.Integer({ description: 'Rows with a problem, of which nothing was stored.' }),
}

export const PageOf = <T extends TSchema>(item: T) => {
  const { 'x-name': name, examples = [] } = item as { 'x-name'?: string; examples?: unknown[] }
  return Type.Object(
    {
      data: Type.Array(item, { description: 'The entries of this page, in the order of the list.' }),
      nextCursor: Optional(
        Type.String({ description: 'Send it as `cursor` to get the next page; absent on the last page.' }),
      ),
    },
    { ...named(`${name}Page`), examples: [{ data: examples }] },
  )
}

/** For the numbers that identify a retry. */
export const whatIsCompared =
  'The same body returns the first response, and a different one is refused (`transaction_already_exists`); ' +
  'ignored properties, and values equal to the default, make no difference.'
