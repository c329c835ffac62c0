import { type TSchema, Type } from 'typebox'
import type { Id as AnyId } from '../../domain/ids.ts'
import {
  createDirectoryEntry,
  getDirectoryEntry,
  patchDirectoryEntry,
} from '../../operations/organizations/manage-directory.ts'
import { type DirectoryEntry, listDirectoryEntries } from '../../store/directory.ts'
import { tenantOf } from '../../store/tenant.ts'
import type { Server } from '../fastify-server.ts'
import { named, parameter } from '../openapi/name-components.ts'
import { createNow } from '../requests/now-of.ts'
import { idCursor, limitOf, PageQuery, toPage } from '../requests/paging.ts'
import { respondToWrite } from '../respond.ts'
import { respondToRead } from '../respond-to-read.ts'
import { directoryExamples, exampleId } from '../schemas/examples.ts'
import {
  CreatedAt,
  Id,
  Money,
  Nullable,
  OpaqueId,
  Optional,
  PageOf,
  Text,
  UpdatedAt,
} from '../schemas/fields.ts'
import type { ServerOptions } from '../server-options.ts'

const tags = ['Directory']
const Name = Text(200, { minLength: 1, description: 'What people call it.' })
const Category = Text(255, { minLength: 1, description: 'Rules can match it.' })
const Price = Money('Usual price, with up to 6 decimals; only a suggestion for the till.')
const Branch = Text(255, { minLength: 1, description: 'ID or opaque ID of a branch.' })

/** The three lists differ only in a few fields. */
const lists = [
  {
    kind: 'products',
    prefix: 'prd',
    noun: 'Product',
    notFound: 'product_not_found',
    extra: { category: Category, price: Price },
  },
  { kind: 'branches', prefix: 'brn', noun: 'Branch', notFound: 'branch_not_found', extra: {} },
  { kind: 'users', prefix: 'usr', noun: 'User', notFound: 'user_not_found', extra: { branch: Branch } },
] as const

const Entry = Type.Object({
  id: Type.String({ description: 'Our ID.', examples: ['prd_019a83f2c1d27b3a9e5f6d7c8b9a0f1e'] }),
  opaqueId: Type.String({ description: 'Your own ID.' }),
  name: Optional(Type.String({ description: 'What people call it.' })),
  category: Optional(Type.String({ description: 'Category of a product.' })),
  price: Optional(Type.Number({ description: 'Price of a product, as sent.' })),
  branch: Optional(Id('brn', 'Branch of a user.')),
  branchOpaqueId: Optional(Type.String({ description: 'Your ID for that branch.' })),
  createdAt: CreatedAt,
  updatedAt: UpdatedAt,
})

function toEntryReply({ createdAt, updatedAt, ...entry }: DirectoryEntry) {
  return { ...entry, createdAt: createdAt.toISOString(), updatedAt: updatedAt.toISOString() }
}

function toEntryExample(prefix: string, given: { opaqueId: string; branch?: string }) {
  const at = '2026-03-14T09:26:53.589Z'
  const branch = given.branch && { branch: exampleId('brn'), branchOpaqueId: given.branch }
  return { id: exampleId(prefix), ...given, ...branch, createdAt: at, updatedAt: at }
}

const SearchQuery = Type.Object({
  ...PageQuery,
  q: Optional(
    Text(255, { ...parameter('DirectorySearch'), description: 'An opaque ID, or part of the name.' }),
  ),
})

const removable = (type: TSchema) =>
  Optional(Nullable(type, `${(type as { description?: string }).description} \`null\` removes it.`))

export function directoryRoutes(app: Server, { deps }: ServerOptions): void {
  const timeFor = createNow(deps)
  for (const { kind, prefix, noun, notFound, extra } of lists) {
    const fields: Record<string, TSchema> = extra
    const optional = Object.fromEntries(Object.entries(fields).map(([name, type]) => [name, Optional(type)]))
    const nullable = Object.fromEntries(Object.entries(fields).map(([name, type]) => [name, removable(type)]))
    const example = directoryExamples[kind]
    const EntryReply = Type.Object(Entry.properties, {
      ...named('DirectoryEntry'),
      examples: [toEntryExample(prefix, example)],
    })

    app.get(
      `/v1/${kind}`,
      {
        config: { access: ['manage'], mayLag: true },
        schema: {
          operationId: `list${noun}${noun === 'Branch' ? 'es' : 's'}`,
          summary: `List ${kind}, newest first`,
          tags,
          querystring: SearchQuery,
          response: { 200: PageOf(EntryReply) },
        },
      },
      async (request, reply) => {
        const limit = limitOf(request.query)
        const after: AnyId | undefined = idCursor(prefix, request.query.cursor)
        const text = request.query.q?.trim() || undefined
        const page = { text, limit: limit + 1, after }
        const rows = await respondToRead(deps, request, reply, (tenant) =>
          listDirectoryEntries(tenant, kind, page),
        )
        return toPage(rows, limit, (row) => row.id, toEntryReply)
      },
    )

    app.get(
      `/v1/${kind}/:id`,
      {
        config: { access: ['manage'], refusals: [notFound] },
        schema: {
          operationId: `get${noun}`,
          summary: `Get a ${noun.toLowerCase()}`,
          tags,
          params: Type.Object({ id: Id(prefix) }),
          response: { 200: EntryReply },
        },
      },
      async (request) => {
        const tenant = tenantOf(deps.pool, request.caller.organization.orgId)
        return toEntryReply(await getDirectoryEntry(tenant, kind, (request.params as { id: string }).id))
      },
    )

    app.post(
      `/v1/${kind}`,
      {
        config: {
          access: ['manage'],
          isRepeatable: true,
          refusals: ['opaque_id_already_exists', 'invalid_branch'],
        },
        schema: {
          operationId: `create${noun}`,
          summary: `Add a ${noun.toLowerCase()}`,
          tags,
          body: Type.Object(
            { opaqueId: OpaqueId('Your own ID.'), name: Optional(Name), ...optional },
            { examples: [example] },
          ),
          response: { 201: EntryReply },
        },
      },
      (request, reply) =>
        respondToWrite(deps, request, reply, {
          work: (tenant) => createDirectoryEntry(tenant, kind, request.body, timeFor(request)),
          status: 201,
          render: toEntryReply,
        }),
    )

    app.patch(
      `/v1/${kind}/:id`,
      {
        config: { access: ['manage'], refusals: [notFound, 'invalid_branch'] },
        schema: {
          operationId: `patch${noun}`,
          summary: `Change a ${noun.toLowerCase()}`,
          description: 'The opaque ID cannot be changed: transactions refer to it.',
          tags,
          params: Type.Object({ id: Id(prefix) }),
          body: Type.Object(
            { name: Optional(Nullable(Name, 'What people call it; `null` removes it.')), ...nullable },

            { examples: [{ name: `${example.name}, renamed` }] },
          ),
          response: { 200: EntryReply },
        },
      },
      (request, reply) =>
        respondToWrite(deps, request, reply, {
          work: (tenant) =>
            patchDirectoryEntry(tenant, kind, idIn(request.params), request.body, timeFor(request)),
          status: 200,
          render: toEntryReply,
        }),
    )
  }
}

const idIn = (params: unknown): string => (params as { id: string }).id
