/** The subset of JSON Schema that describes campaigns, and what a form needs from it. */
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
  /** Unit of the value. */
  readonly 'x-unit'?: 'balance' | 'money' | 'percent' | 'share' | 'time' | 'time of day' | 'duration'
  /** The list that the values refer to. */
  readonly 'x-names'?: NameList
  /** Labels of the choices, or of true and false. */
  readonly 'x-labels'?: Readonly<Record<string, string>>
  readonly 'x-decimals'?: number
  /** Sentence that describes an object, with its fields in braces. */
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
 * The fields that can be edited; a constant, such as the kind, cannot. The name comes first, and the key,
 * which the form generates, last.
 */
export function fieldsOf({ properties = {}, required = [] }: Schema): Field[] {
  const rank = (name: string) => (name === 'name' ? 0 : name === 'key' || name === 'id' ? 2 : 1)
  return Object.entries(properties)
    .filter(([, schema]) => schema.const === undefined)
    .map(([name, schema]) => ({ name, schema, isRequired: required.includes(name) }))
    .toSorted((a, b) => rank(a.name) - rank(b.name))
}

/** A copy of the item with one field changed, or removed if the value is blank. */
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

/** Initial fields of a new item: its kind, and a reference to the first thing there is to refer to. */
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

/** Turns `Double Points!` into `double-points`, or `double-points-2` if that is taken. */
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
