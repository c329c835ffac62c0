/** What an item says, in a line: the members that are set, in the words of its schema. */
import { useTranslation } from 'react-i18next'
import { formatDateTime, formatMoney, formatNumber } from '../format.ts'
import { type Definition, namesIn } from './definition.ts'
import { useSchemaTexts } from './form-context.ts'
import type { Item, Schema } from './schema.ts'

export interface Fact {
  readonly name: string
  readonly label: string
  readonly value: string
}

export interface FactReader {
  /** Each member that is set. */
  readonly factsOf: (item: Item, schema: Schema) => Fact[]
  readonly inWords: (value: unknown, schema: Schema | undefined) => string
}

/** How an item is called is said elsewhere. */
const unsaid = ['key', 'id', 'name', 'kind']

export function useFacts(definition: Definition, currency: string, timeZone: string): FactReader {
  const { t } = useTranslation(['forms', 'common'])
  const text = useSchemaTexts()

  const inWords = (value: unknown, schema: Schema | undefined): string => {
    if (value === undefined) return ''
    if (Array.isArray(value))
      return value.map((one) => inWords(one, { ...schema?.items, ...namedBy(schema) })).join(', ')
    if (typeof value === 'boolean') return t(value ? 'common:yes' : 'common:no')
    if (typeof value === 'number') {
      return schema?.['x-unit'] === 'money' ? formatMoney(value, currency) : formatNumber(value)
    }
    if (typeof value !== 'string')
      return factsOf(value as Item, schema ?? {})
        .map(asText)
        .join(' · ')
    return textOf(value, schema)
  }

  const textOf = (value: string, schema: Schema | undefined): string => {
    const names = schema?.['x-names']
    if (names) return namesIn(definition, names).find((one) => one.value === value)?.label ?? value
    if (schema?.['x-labels']) return text(schema['x-labels'][value]) || value
    const duration = schema?.['x-unit'] === 'duration' && /^P(\d+)([DWMY])$/.exec(value)
    if (duration) return t(`duration.count${duration[2]}`, { count: Number(duration[1]) })
    const isInstant = schema?.['x-unit'] === 'time' && /Z|[+-]\d\d:\d\d$/.test(value)
    if (schema?.['x-unit'] !== 'time') return value
    return isInstant ? formatDateTime(value, timeZone) : formatDateTime(`${asMinute(value)}Z`, 'UTC')
  }

  const factsOf = (item: Item, schema: Schema): Fact[] =>
    Object.entries({ ...schema.properties, ...unknownOf(item, schema) }).flatMap(([name, member]) => {
      const value = item[name]
      if (value === undefined || unsaid.includes(name) || member.const !== undefined) return []
      const words = inWords(value, member)
      return words === '' ? [] : { name, label: text(member.title) || name, value: words }
    })

  return { factsOf, inWords }
}

/** Names in a list are of the same kind as the list says. */
const namedBy = (schema: Schema | undefined) =>
  schema?.['x-names'] ? { 'x-names': schema['x-names'] } : undefined

/** What a version of other times may have, and no schema tells of. */
const unknownOf = (item: Item, schema: Schema): Record<string, Schema> =>
  Object.fromEntries(
    Object.keys(item)
      .filter((name) => !schema.properties?.[name])
      .map((name) => [name, {}]),
  )

const asMinute = (local: string) => (local.length === 10 ? `${local}T00:00` : local.slice(0, 16))

export const asText = ({ label, value }: Fact): string => `${label}: ${value}`
