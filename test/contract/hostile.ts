/** Values that a member should not have, derived from what its schema says it may have. */
import type { Schema } from '../../src/http/openapi/reference/document.ts'
import { naughty } from './naughty.ts'

export interface Hostile {
  /** JSON, as it stands in the body: some of these values no program could write from memory. */
  readonly text: string
  /** Refused whatever the schema says: it cannot be kept, or reaches where no member may. */
  readonly isImpossible?: boolean
}

const numbers = [
  '1e400',
  '-1e400',
  '9007199254740993',
  '9223372036854775808',
  '-9223372036854775809',
  '-0',
  '-1',
  '-0.5',
  '0.5',
  '1e-7',
  '1e308',
]

const strings = [
  '""',
  '" "',
  '"10"',
  '"NaN"',
  '"null"',
  '"__proto__"',
  '"constructor"',
  '"%"',
  '"\' OR 1=1; --"',
  '"\\u0001\\u001f\\u007f"',
  '"\\u200b\\u200d\\ufeff\\u202e"',
  '"\\r\\nSet-Cookie: a=b"',
]

const impossible = [
  '"a\\u0000b"',
  '"\\ud800"',
  '"\\u0000"',
  '"x\\ude00y"',
  '{"__proto__":{"polluted":1}}',
  '{"constructor":{"prototype":{"polluted":1}}}',
  '{"a\\u0000":1}',
]

const deep = ['['.repeat(5_000) + ']'.repeat(5_000), `${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}`] as const

const shapes = ['null', 'true', '[]', '{}', '[null]', '[[]]', '[{}]', '{"a":{"b":[1]}}']

const megabyte = JSON.stringify('x'.repeat(1 << 20))
const oneMegabyte = `{"a":${megabyte}}`
const manyLines = `{"items":[${Array(100_000).fill('{}').join()}]}`
const heavy = [...deep, megabyte]
let turn = 0

/**
 * For one member. Of what is no value at all each member gets its turn: that is refused before anybody asks whose it
 * is. A `share` of 3 leaves it every third of what any member might get; those derived from its schema stay.
 */
export function hostileValues(schema: Schema, share = 1): Hostile[] {
  const types = typesOf(schema)
  const isNumber = types.some((type) => type === 'number' || type === 'integer')
  turn++
  const any = [
    ...shapes,
    ...(isNumber ? numbers : ['1e400', '-0', '7']),
    ...(types.includes('string') ? [...strings, ...someNaughty()] : ['""', '"10"', '"NaN"']),
  ]
  const texts = new Set([...any.filter((_, i) => i % share === turn % share), ...missesOf(schema)])
  const none = [
    ...impossible.slice(0, 2),
    impossible[2 + (turn % (impossible.length - 2))]!,
    heavy[turn % 3]!,
  ]
  return [...[...texts].map((text) => ({ text })), ...none.map((text) => ({ text, isImpossible: true }))]
}

/** The next few of the list, as JSON. */
function someNaughty(): string[] {
  return naughty.filter((_, i) => i % 8 === turn % 8).map((text) => JSON.stringify(text))
}

function typesOf({ anyOf, type }: Schema): readonly (string | undefined)[] {
  return anyOf ? anyOf.flatMap(typesOf) : [type].flat()
}

/** Just beyond each bound that the schema sets, and beside each value it names. */
function missesOf(schema: Schema): string[] {
  if (schema.anyOf) return schema.anyOf.flatMap(missesOf)
  const { minimum, maximum, exclusiveMinimum, maxLength, minItems, maxItems, items } = schema
  const named = [...(schema.enum ?? []), ...(schema.const === undefined ? [] : [schema.const])]
  const misses: unknown[] = [
    ...named.flatMap((value) => [`${value} `, String(value).toUpperCase(), `${value}x`]),
    ...(minimum === undefined ? [] : [minimum - 1, minimum]),
    ...(exclusiveMinimum === undefined ? [] : [exclusiveMinimum]),
    ...(maximum === undefined ? [] : [maximum * 2, maximum]),
    ...(maxLength === undefined ? [] : ['x'.repeat(maxLength + 1), '\u{1f600}'.repeat(maxLength + 1)]),
    ...(schema.pattern === undefined ? [] : ['-', 'a b', 'x'.repeat(65), 'a\n', '\u0430']),
    ...(schema.type === 'string' && maxLength === undefined ? ['x'.repeat(5_000)] : []),
    ...(schema.format === 'date-time' ? hostileTimes : []),
    ...(schema.format === 'customer-email' ? addresses : []),
    ...(items ? [Array(minItems === 0 ? 0 : (minItems ?? 1) - 1).fill('x')] : []),
    ...(items ? [Array((maxItems ?? 1_000) + 1).fill('x'), ['x', 'x'], ['']] : []),
  ]
  return misses.map((value) => JSON.stringify(value))
}

export const hostileTimes = [
  'yesterday',
  '2026-13-01T00:00:00Z',
  '2026-02-30T00:00:00Z',
  '2026-03-14T25:00:00Z',
  '2026-03-14T23:59:60Z',
  '2026-03-14',
  '2026-03-14T09:26:53',
  '2026-03-14T09:26:53+99:99',
  '0000-01-01T00:00:00Z',
  '9999-12-31T23:59:59Z',
  '+275760-09-13T00:00:00Z',
  '1773480413589',
]

const addresses = ['a', '@', 'a@b', 'a b@example.com', 'a@@example.com', 'a@example..com', 'a@\u0000.com']

/** What stands in an address; percent-encoded where it is used. */
export const hostileTexts = [
  '',
  ' ',
  '\0',
  'a\0b',
  '%',
  '_',
  '*',
  '-1',
  '0',
  '0.5',
  '1e3',
  '101',
  '9223372036854775808',
  'NaN',
  'null',
  '__proto__',
  'constructor',
  "' OR 1=1; --",
  '\u0001\u001f\u007f',
  '\u200b\u200d\ufeff',
  '../../etc/passwd',
  '..',
  '{}',
  'x'.repeat(300),
  'x'.repeat(5_000),
]

/** Percent-encodings that are no text. */
export const brokenEncodings = ['%', '%zz', '%ff', '%c3%28', '%ed%a0%80', '%c0%af']

export interface HostileBody {
  readonly what: string
  readonly payload: string | Buffer
  readonly headers?: Record<string, string>
  /** Of every call; the others may be fine where no member is required. */
  readonly isImpossible: boolean
}

/** Whole bodies that are none, made from one that is right. */
export function hostileBodies(body: object): HostileBody[] {
  const text = JSON.stringify(body)
  const utf16 = Buffer.from(text, 'utf16le')
  const impossibleBodies: [string, string | Buffer, Record<string, string>?][] = [
    ['null', 'null'],
    ['a list', '[]'],
    ['a list of it', `[${text}]`],
    ['a number', '7'],
    ['a text', '"text"'],
    ['true', 'true'],
    ['half of it', text.slice(0, -1)],
    ['more after it', `${text}{}`],
    ['a comment', `/* */${text}`],
    ['NaN', '{"a":NaN}'],
    ['a byte order mark', `\ufeff${text}`],
    ['UTF-16', utf16],
    ['UTF-16 with a mark', Buffer.concat([Buffer.from([0xff, 0xfe]), utf16])],
    ['overlong UTF-8', Buffer.from([0x7b, 0x22, 0xc0, 0xaf, 0x22, 0x3a, 0x31, 0x7d])],
    ['NUL bytes', Buffer.alloc(64)],
    ['__proto__', `{"__proto__":{"polluted":1},${text.slice(1)}`],
    ['constructor.prototype', `{"constructor":{"prototype":{"polluted":1}},${text.slice(1)}`],
    ['lists in lists', deep[0]],
    ['objects in objects', deep[1]],
    ['a megabyte', oneMegabyte],
    ['100,000 lines', manyLines],
    ['gzip that does not say so', gzipped],
    ['gzip', gzipped, { 'content-encoding': 'gzip' }],
    ['br', text, { 'content-encoding': 'br' }],
    ['another charset', text, { 'content-type': 'application/json; charset=utf-16' }],
    ...['text/plain', 'application/xml', 'application/x-www-form-urlencoded', 'multipart/form-data', ';'].map(
      (type): [string, string, Record<string, string>] => [`as ${type}`, text, { 'content-type': type }],
    ),
  ]
  return [
    ...impossibleBodies.map(([what, payload, headers]) => ({ what, payload, headers, isImpossible: true })),
    { what: 'no body', payload: '', isImpossible: false },
    { what: 'an empty object', payload: '{}', isImpossible: false },
    { what: 'every member twice', payload: `${text.slice(0, -1)},${text.slice(1)}`, isImpossible: false },
  ]
}

const gzipped = Buffer.from('H4sIAAAAAAAAA6tWSkxSsqoFAKYYrGoKAAAA', 'base64')
