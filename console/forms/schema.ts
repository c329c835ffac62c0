/** The part of JSON Schema that campaigns are described with, and what a form needs to know of it. */
export interface Schema {
  readonly type?: 'string' | 'number' | 'integer' | 'boolean' | 'object' | 'array'
  readonly title?: string
  readonly description?: string
  readonly enum?: readonly string[]
  readonly const?: unknown
  readonly default?: unknown
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly minimum?: number
  readonly maximum?: number
  readonly maxLength?: number
  /** What a value counts in. */
  readonly 'x-unit'?: 'balance' | 'money' | 'percent' | 'share' | 'time' | 'time of day' | 'duration'
  /** What the values are names of. */
  readonly 'x-names'?: NameList
  /** How the choices, or yes and no, are called. */
  readonly 'x-labels'?: Readonly<Record<string, string>>
  readonly 'x-decimals'?: number
  /** What an object says, with its fields in braces. */
  readonly 'x-sentence'?: string
}

export type NameList = 'balances' | 'rewards' | 'tiers' | 'products' | 'categories' | 'branches' | 'campaigns'

export type Item = Readonly<Record<string, unknown>>

export interface Field {
  readonly name: string
  readonly schema: Schema
  readonly isRequired: boolean
}

/**
 * The fields that can be filled in; a constant, such as the kind, cannot be chosen. The name comes first, and
 * last what the form makes up by itself: the key that others refer to.
 */
export function fieldsOf({ properties = {}, required = [] }: Schema): Field[] {
  const rank = (name: string) => (name === 'name' ? 0 : name === 'key' || name === 'id' ? 2 : 1)
  return Object.entries(properties)
    .filter(([, schema]) => schema.const === undefined)
    .map(([name, schema]) => ({ name, schema, isRequired: required.includes(name) }))
    .toSorted((a, b) => rank(a.name) - rank(b.name))
}

/** The same item with one field changed, or without it when there is no value. */
export function withField(item: Item, name: string, value: unknown): Item {
  const { [name]: _, ...rest } = item
  if (isBlank(value)) return rest
  return name in item ? { ...item, [name]: value } : { ...rest, [name]: value }
}

const isBlank = (value: unknown) =>
  value === undefined || value === '' || (Array.isArray(value) && value.length === 0)

export interface NameChoice {
  readonly value: string
  readonly label: string
}

/** What a new item begins with: its kind, and a reference where there is only one thing to refer to. */
export function startOf(schema: Schema, namesOf: (list: NameList) => readonly NameChoice[]): Item {
  const start: Record<string, unknown> = {}
  for (const [name, field] of Object.entries(schema.properties ?? {})) {
    if (field.const !== undefined) start[name] = field.const
    else if (!schema.required?.includes(name)) continue
    else if (field['x-names'] && field.type === 'string') {
      const first = namesOf(field['x-names'])[0]
      if (first) start[name] = first.value
    }
  }
  return start
}

/** `Double Points!` as `double-points`, and `double-points-2` when that is taken. */
export function toKey(text: string, taken: readonly unknown[]): string {
  const plain = text
    .normalize('NFKD')
    .replaceAll(/[^A-Za-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .toLowerCase()
    .slice(0, 60)
  const base = plain || 'new'
  let key = base
  for (let i = 2; taken.includes(key); i++) key = `${base}-${i}`
  return key
}
