/**
 * The members of a schema, each with the way to it: what a test that tries every member of every body walks along.
 * A member is tried inside a body that is right otherwise, so a body without it does not do.
 */
import type { Schema } from '../../src/http/openapi/reference/document.ts'

export interface Place {
  /** As a client writes it: `items[0].quantity`. */
  readonly name: string
  readonly path: readonly string[]
  /** Which of the bodies it was found in. */
  readonly body: number
  readonly schema: Schema
}

/** Every member of the schema that one of the bodies has, and the names of those that none has. */
export function listPlaces(
  schema: Schema,
  bodies: readonly unknown[],
): { places: Place[]; missing: string[] } {
  const found = new Map<string, Place>()
  const lacking = new Map<string, string>()

  function visitField(member: Schema, path: readonly string[], body: number, value: unknown): void {
    // The same member of a second rule, or of another line, is checked by the same words.
    const key = `${path.at(-1)} ${JSON.stringify(member)}`
    if (value === undefined) lacking.set(key, nameOf(path))
    else if (!found.has(key)) found.set(key, { name: nameOf(path), path, body, schema: member })
    if (value !== undefined) visit(member, path, body, value)
  }

  function visit(node: Schema, path: readonly string[], body: number, value: unknown): void {
    const union = node.anyOf ?? node.oneOf
    for (const part of node.allOf ?? []) visit(part, path, body, value)
    if (union) {
      for (const branch of union) if (fits(branch, value)) visit(branch, path, body, value)
    } else if (node.items && Array.isArray(value)) {
      for (const branch of node.items.anyOf ?? node.items.oneOf ?? [node.items]) {
        const key = `[] ${nameOf(path)} ${JSON.stringify(branch)}`
        const items = value.flatMap((item, i) => (fits(branch, item) ? { item, i } : []))
        if (items.length === 0) lacking.set(key, `an entry of ${nameOf(path)} as ${key.slice(0, 200)}`)
        else lacking.delete(key)
        for (const { item, i } of items) visit(branch, [...path, String(i)], body, item)
      }
    } else if (isObject(value)) {
      const { properties = {}, additionalProperties: others } = node
      for (const [name, member] of Object.entries(properties))
        visitField(member, [...path, name], body, value[name])
      if (typeof others !== 'object') return
      for (const name of Object.keys(value))
        if (!Object.hasOwn(properties, name)) visitField(others, [...path, name], body, value[name])
    }
  }

  for (const [i, body] of bodies.entries()) visit(schema, [], i, body)
  const missing = [...lacking].filter(([key]) => !found.has(key)).map(([, name]) => name)
  return { places: [...found.values()], missing }
}

/** The body as JSON text, with the text of another value at the place. */
export function putAt(body: unknown, path: readonly string[], text: string): string {
  const copy = structuredClone(body) as Record<string, unknown>
  const parents = path.slice(0, -1)
  const holder = parents.reduce((at, name) => at[name] as Record<string, unknown>, copy)
  holder[path.at(-1)!] = marker
  return JSON.stringify(copy).replace(`"${marker}"`, () => text)
}

const marker = '<<here>>'

/** Enough to tell the branches of our own schemas apart: kinds by their constant, the rest by type. */
function fits(schema: Schema, value: unknown): boolean {
  const union = schema.anyOf ?? schema.oneOf
  if (union) return union.some((branch) => fits(branch, value))
  if (schema.type === 'array') return Array.isArray(value)
  if (schema.type !== 'object') return schema.type === undefined || schema.type === typeof value
  if (!isObject(value) || Array.isArray(value)) return false
  const constants = Object.entries(schema.properties ?? {}).filter(([, { const: one }]) => one !== undefined)
  const hasRequired = (schema.required ?? []).every((name) => value[name] !== undefined)
  return hasRequired && constants.every(([name, { const: one }]) => value[name] === one)
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

function nameOf(path: readonly string[]): string {
  return path.reduce(
    (name, part) => (/^\d+$/.test(part) ? `${name}[${part}]` : name ? `${name}.${part}` : part),
    '',
  )
}
