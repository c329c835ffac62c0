/**
 * Describes an item in one line: the sentence of its schema, then the other fields that are set. Words, units
 * and names come from the schemas of the service and from the merchant; nothing here knows a kind of rule.
 */
import { useTranslation } from 'react-i18next'
import { formatDateTime, formatFineMoney, formatNumber, formatPercent } from '../i18n/format.ts'
import { isolate } from '../i18n/languages.ts'
import { type Definition, namesIn, valuesIn } from './definition.ts'
import { useDirectoryNames } from './directory-names.ts'
import { useSchemaTexts } from './form-context.ts'
import { useCampaignNames } from './names.ts'
import type { Item, Schema } from './schema.ts'

export interface Fact {
  readonly name: string
  /** Absent for a sentence. */
  readonly label?: string
  readonly value: string
}

export interface FactReader {
  /** The facts of an item: its sentence and each field that is set. */
  readonly factsOf: (item: Item, schema: Schema) => Fact[]
  readonly inWords: (value: unknown, schema: Schema | undefined) => string
}

/** Fields that are not listed, since an item's name and kind are shown elsewhere. */
const unsaid = ['key', 'id', 'name', 'kind']

export function useFacts(definition: Definition, currency: string, timeZone: string): FactReader {
  const { t } = useTranslation(['forms', 'common'])
  const text = useSchemaTexts()
  const called = {
    products: useDirectoryNames('products', valuesIn(definition, 'products')),
    branches: useDirectoryNames('branches', valuesIn(definition, 'branches')),
    campaigns: useCampaignNames(valuesIn(definition, 'runsOn').length > 0),
    categories: (category: string) => category,
  }

  const inWords = (value: unknown, schema: Schema | undefined): string => {
    if (value === undefined) return ''
    if (Array.isArray(value))
      return value.map((item) => inWords(item, { ...schema?.items, ...namedBy(schema) })).join(', ')
    if (typeof value === 'boolean')
      return text(schema?.['x-labels']?.[`${value}`]) || t(value ? 'common:yes' : 'common:no')
    if (typeof value === 'number') return numberOf(value, schema?.['x-unit'])
    if (typeof value !== 'string')
      return factsOf(value as Item, schema ?? {})
        .map(asText)
        .join(' · ')
    return textOf(value, schema)
  }

  const numberOf = (value: number, unit: Schema['x-unit']): string => {
    if (unit === 'money') return formatFineMoney(value, currency)
    if (unit === 'percent') return formatPercent(value / 100)
    return unit === 'share' ? formatPercent(value) : formatNumber(value)
  }

  const textOf = (value: string, schema: Schema | undefined): string => {
    const names = schema?.['x-names']
    if (names) {
      return names in called
        ? called[names as keyof typeof called](value)
        : (namesIn(definition, names).find((item) => item.value === value)?.label ?? value)
    }
    if (schema?.['x-labels']) return text(schema['x-labels'][value]) || value
    const duration = schema?.['x-unit'] === 'duration' && /^P(\d+)([DWMY])$/.exec(value)
    if (duration) return t(`duration.count${duration[2]}`, { count: Number(duration[1]) })
    const isInstant = schema?.['x-unit'] === 'time' && /Z|[+-]\d\d:\d\d$/.test(value)
    if (schema?.['x-unit'] !== 'time') return value
    return isInstant ? formatDateTime(value, timeZone) : formatDateTime(`${asMinute(value)}Z`, 'UTC')
  }

  const factsOf = (item: Item, schema: Schema): Fact[] => {
    const sentence = sentenceOf(item, schema)
    const facts = Object.entries({ ...schema.properties, ...unknownOf(item, schema) }).flatMap(
      ([name, field]): Fact[] => {
        const value = item[name]
        if (value === undefined || unsaid.includes(name) || field.const !== undefined) return []
        if (sentence?.fields.includes(name)) return []
        const words = inWords(value, field)
        if (words === '') return []
        // A boolean with labels of its own needs no title.
        const isSaid = typeof value === 'boolean' && field['x-labels'] !== undefined
        return [{ name, label: isSaid ? undefined : text(field.title) || name, value: words }]
      },
    )
    return sentence ? [{ name: '', value: sentence.words }, ...facts] : facts
  }

  /** The sentence of an item; undefined while one of its fields has no value. */
  const sentenceOf = (item: Item, schema: Schema) => {
    const sentence = schema['x-sentence']
    if (!sentence) return undefined
    const fields = [...sentence.matchAll(placeholder)].map(([, name]) => name!)
    const said = (name: string) => inWords(item[name], schema.properties?.[name])
    if (fields.some((name) => said(name) === '')) return undefined
    return {
      fields,
      words: text(sentence).replaceAll(placeholder, (_, name: string) => isolate(said(name))),
    }
  }

  return { factsOf, inWords }
}

/** The items of a list refer to the same kind of thing as the list. */
const namedBy = (schema: Schema | undefined) =>
  schema?.['x-names'] ? { 'x-names': schema['x-names'] } : undefined

/** Fields of an older or newer version that no schema describes. */
const unknownOf = (item: Item, schema: Schema): Record<string, Schema> =>
  Object.fromEntries(
    Object.keys(item)
      .filter((name) => !schema.properties?.[name])
      .map((name) => [name, {}]),
  )

const asMinute = (local: string) => (local.length === 10 ? `${local}T00:00` : local.slice(0, 16))

const placeholder = /\{(\w+)\}/g

export const isSentence = ({ name }: Fact): boolean => name === ''

export const asText = ({ label, value }: Fact): string => (label ? `${label}: ${value}` : value)
