/** The title of a rule: what its kind does, and which rule it is. */
import { isolate } from '../i18n/languages.ts'
import { type Definition, itemsOf, kindOf, type Shapes } from './definition.ts'

/** Title such as "Points for money (base)". `text` translates a schema's title into the reader's language. */
export function ruleWords(
  definition: Definition,
  id: string,
  shapes: Shapes,
  text: (title: string | undefined) => string,
): string {
  const title = text(kindOf(shapes, 'rules', findRule(definition, id))?.title)
  return title ? withId(title, id) : id
}

export const withId = (title: string, id: string): string => `${title} (${isolate(id)})`

/** A rule without an id is identified by its position. */
export function findRule(definition: Definition, id: string) {
  const rules = itemsOf(definition, 'rules')
  return rules.find((rule) => rule.id === id) ?? rules[Number(id) - 1]
}
