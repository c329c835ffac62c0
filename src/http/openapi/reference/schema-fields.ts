/**
 * Renders a schema as a list of its fields with type, bounds and description; nested objects can be expanded.
 */
import { type OpenApiDocument, refName, type Schema } from './document.ts'
import { type Html, html, inline } from './html.ts'

/** How many levels of named schemas can be expanded in place; deeper ones are links. */
const unfoldDepth = 2

export function schemaFields(document: OpenApiDocument, schema: Schema, depth = unfoldDepth): Html {
  if (schema.$ref) return schemaFields(document, resolve(document, schema), depth)
  if (schema.type === 'array' && schema.items) return schemaFields(document, schema.items, depth)
  const branches = branchesOf(schema)
  if (branches) return html`${branches.map((branch) => variant(document, branch, depth))}`
  const members = Object.entries(schema.properties ?? {})
  if (members.length === 0) return freeFields(document, schema, depth)
  return html`<ul class="members">${members.map(([name, member]) =>
    memberRow(document, name, member, schema.required?.includes(name) ?? false, depth),
  )}</ul>`
}

function freeFields(document: OpenApiDocument, schema: Schema, depth: number): Html {
  const { additionalProperties } = schema
  if (typeof additionalProperties === 'object') {
    return html`<ul class="members">${memberRow(document, '{key}', additionalProperties, false, depth)}</ul>`
  }
  return html`<p class="none">${additionalProperties ? 'Any properties.' : 'No properties.'}</p>`
}

function memberRow(
  document: OpenApiDocument,
  name: string,
  schema: Schema,
  isRequired: boolean,
  depth: number,
): Html {
  const bounds = boundsOf(schema)
  // The values of a closed list are explained where its name leads.
  const about =
    schema.$ref === undefined
      ? schema.description
      : firstLine(schema.description ?? resolve(document, schema).description)
  return html`<li>
    <div class="member"><code class="name">${name}</code> <span class="type">${typeOf(document, schema)}</span>${
      isRequired && html` <span class="required">required</span>`
    }</div>
    ${about !== undefined && html`<div class="about">${inline(about)}</div>`}
    ${bounds.length > 0 && html`<div class="bounds">${inline(bounds.join(' · '))}</div>`}
    ${nested(document, schema, depth)}
  </li>`
}

function nested(document: OpenApiDocument, schema: Schema, depth: number): Html | undefined {
  const inner = schema.type === 'array' && schema.items ? schema.items : schema
  const isNamed = inner.$ref !== undefined
  if (isNamed && depth === 0) return undefined
  const target = resolve(document, inner)
  const variants = branchesOf(target)?.filter((branch) => hasFields(resolve(document, branch))) ?? []
  if (!hasFields(target) && variants.length === 0) return undefined
  const next = isNamed ? depth - 1 : depth
  const content =
    variants.length > 0
      ? html`${variants.map((branch) => variant(document, branch, next))}`
      : schemaFields(document, target, next)
  return html`<details><summary>${variants.length > 1 ? `One of ${variants.length} kinds` : 'Fields'}</summary>${content}</details>`
}

function variant(document: OpenApiDocument, schema: Schema, depth: number): Html {
  const target = resolve(document, schema)
  if (!hasFields(target)) return html``
  if (schema.$ref && depth === 0) return html`<p class="case">${typeOf(document, schema)}</p>`
  const next = schema.$ref ? depth - 1 : depth
  return html`<details><summary>${target.title ?? (schema.$ref ? refName(schema.$ref) : 'Fields')}</summary>${schemaFields(document, target, next)}</details>`
}

const firstLine = (text: string | undefined) => text?.split('\n', 1)[0]

/** The alternatives of a union, also where something else holds for all of them. */
function branchesOf({ anyOf, oneOf, allOf }: Schema): readonly Schema[] | undefined {
  return anyOf ?? oneOf ?? allOf?.find((part) => part.anyOf)?.anyOf
}

function hasFields(schema: Schema): boolean {
  return Object.keys(schema.properties ?? {}).length > 0 || typeof schema.additionalProperties === 'object'
}

export function typeOf(document: OpenApiDocument, schema: Schema): Html {
  if (schema.$ref) {
    const name = refName(schema.$ref)
    return html`<a href="#schema-${name}">${name}</a>`
  }
  if (schema.const !== undefined) return html`${JSON.stringify(schema.const)}`
  if (schema.enum) return html`${schema.enum.map((value) => JSON.stringify(value)).join(' or ')}`
  const branches = branchesOf(schema)
  if (branches) {
    return html`${branches.map((branch, i) => html`${i > 0 && ' or '}${typeOf(document, branch)}`)}`
  }
  if (schema.type === 'array')
    return html`list of ${schema.items ? typeOf(document, schema.items) : 'anything'}`
  if (schema.type === 'object' && typeof schema.additionalProperties === 'object') {
    return html`map of ${typeOf(document, schema.additionalProperties)}`
  }
  const prefix = idPrefix(schema)
  if (prefix !== undefined) return html`ID ${prefix}_…`
  const type = [schema.type ?? 'anything'].flat().join(' or ')
  return html`${schema.format === 'date-time' ? 'ISO 8601 time' : type}`
}

/** Our own IDs are recognized by their example; their length limits tell a reader nothing. */
function idPrefix(schema: Schema): string | undefined {
  return /^([a-z]+)_[0-9a-f]{32}$/.exec(String(schema.examples?.[0] ?? ''))?.[1]
}

function boundsOf(schema: Schema): string[] {
  if (idPrefix(schema) !== undefined || schema.format === 'date-time') return []
  const bounds: string[] = []
  const number = (value: number) =>
    Math.abs(value) >= 1e6 ? value.toExponential().replace('e+', 'e') : String(value)
  if (schema.minimum !== undefined) bounds.push(`at least ${number(schema.minimum)}`)
  if (schema.exclusiveMinimum !== undefined) bounds.push(`above ${number(schema.exclusiveMinimum)}`)
  if (schema.maximum !== undefined) bounds.push(`at most ${number(schema.maximum)}`)
  if (schema.maxLength !== undefined) {
    bounds.push(`${schema.minLength ? `${schema.minLength} to` : 'up to'} ${schema.maxLength} characters`)
  }
  if (schema.minItems !== undefined) bounds.push(`${schema.minItems} or more`)
  if (schema.maxItems !== undefined) bounds.push(`up to ${schema.maxItems}`)
  if (schema.pattern !== undefined) bounds.push(`matches \`${schema.pattern}\``)
  if (schema.default !== undefined) bounds.push(`default \`${JSON.stringify(schema.default)}\``)
  const [example] = schema.examples ?? []
  if (example !== undefined && typeof example !== 'object') bounds.push(`for example \`${example}\``)
  return bounds
}

function resolve(document: OpenApiDocument, schema: Schema): Schema {
  return schema.$ref ? (document.components.schemas[refName(schema.$ref)] ?? {}) : schema
}
