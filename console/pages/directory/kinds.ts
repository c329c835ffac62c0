/** The three lists of the directory: what differs between products, branches and users. */
import { api, type Schemas } from '../../api/client.ts'

export type Entry = Schemas['DirectoryEntry']

export interface EntryBody {
  readonly name?: string | null
  readonly category?: string | null
  readonly price?: number | null
  readonly branch?: string | null
}

interface Query {
  readonly q?: string
  readonly cursor?: string
  readonly limit?: number
}

/** A new entry leaves out empty fields; an edited one clears them. */
const given = ({ name, category, price, branch }: EntryBody) => ({
  name: name ?? undefined,
  category: category ?? undefined,
  price: price ?? undefined,
  branch: branch ?? undefined,
})

export const kinds = {
  products: {
    fields: ['category', 'price'],
    list: (query: Query) => api.GET('/v1/products', { params: { query } }),
    create: (opaqueId: string, body: EntryBody) =>
      api.POST('/v1/products', { body: { opaqueId, ...given(body) } }),
    patch: (id: string, body: EntryBody) =>
      api.PATCH('/v1/products/{id}', { params: { path: { id } }, body }),
  },
  branches: {
    fields: [],
    list: (query: Query) => api.GET('/v1/branches', { params: { query } }),
    create: (opaqueId: string, body: EntryBody) =>
      api.POST('/v1/branches', { body: { opaqueId, ...given(body) } }),
    patch: (id: string, body: EntryBody) =>
      api.PATCH('/v1/branches/{id}', { params: { path: { id } }, body }),
  },
  users: {
    fields: ['branch'],
    list: (query: Query) => api.GET('/v1/users', { params: { query } }),
    create: (opaqueId: string, body: EntryBody) =>
      api.POST('/v1/users', { body: { opaqueId, ...given(body) } }),
    patch: (id: string, body: EntryBody) => api.PATCH('/v1/users/{id}', { params: { path: { id } }, body }),
  },
} as const

export type Kind = keyof typeof kinds
type Field = (typeof kinds)[Kind]['fields'][number]

export const hasField = (kind: Kind, field: Field): boolean =>
  (kinds[kind].fields as readonly Field[]).includes(field)
