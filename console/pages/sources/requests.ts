/** The service's routes for sources, with their shapes. */
import { api, dataOf, type Schemas } from '../../api/client.ts'
import { idempotencyHeaders } from '../../api/idempotency-key.ts'

export type Source = Schemas['Source']
export type SourceKind = Source['kind']
export type Received = Schemas['ReceivedMessage']
export type Problem = Schemas['ReceivedProblem']

export interface ItemMade {
  readonly id?: string
  readonly product?: string
  readonly name?: string
  readonly quantity?: number
  readonly unitPrice?: number
  readonly amount?: number
  readonly discountAmount?: number
}

export interface SaleMade {
  readonly type: 'sale'
  readonly opaqueId: string
  readonly who: Readonly<Partial<Record<'barcode' | 'opaqueId' | 'email' | 'phone' | 'fullname', string>>>
  readonly currency?: string
  readonly branch?: string
  readonly user?: string
  readonly occurredAt?: string
  readonly items?: readonly ItemMade[]
  readonly amount?: number
  readonly discountAmount?: number
  readonly discountedAmount?: number
  readonly also?: readonly ReturnMade[]
}

export interface ReturnMade {
  readonly type: 'return'
  readonly sale: string
  readonly opaqueId: string
  readonly currency?: string
  readonly items?: readonly { readonly id: string; readonly quantity: number }[]
  readonly amount?: number
  readonly reason?: string
  readonly also?: readonly ReturnMade[]
}

interface NothingMade {
  readonly type: 'nothing'
  readonly reason: string
}

/** The service documents it as a free-form object: each kind of sender fills in what it knows. */
export type Made = SaleMade | ReturnMade | NothingMade

export type ReceivedDetail = WithMade<Schemas['ReceivedMessageWithContent']>
export type Tried = WithMade<Schemas['SourceTrial']>

type WithMade<T> = Omit<T, 'made'> & { readonly made?: Made }

interface PageQuery {
  readonly cursor?: string
  readonly limit: number
}

const at = (id: string) => ({ path: { id } })

export const listSources = (query: PageQuery) => dataOf(api.GET('/v1/sources', { params: { query } }))

export const getSource = (id: string): Promise<Source> =>
  dataOf(api.GET('/v1/sources/{id}', { params: at(id) }))

/** A source of kind `json` without a secret of its own gets one, which is in this response only. */
export const addSource = (body: Schemas['NewSource']): Promise<Schemas['SourceWithSecret']> =>
  dataOf(api.POST('/v1/sources', { body }))

export const patchSource = (id: string, body: Schemas['PatchSource']): Promise<Source> =>
  dataOf(api.PATCH('/v1/sources/{id}', { params: at(id), body }))

export const deleteSource = (id: string) => dataOf(api.DELETE('/v1/sources/{id}', { params: at(id) }))

export const trySource = (id: string, body: Schemas['TrySource'], signal?: AbortSignal) =>
  dataOf(api.POST('/v1/sources/{id}/try', { params: at(id), body, signal })) as Promise<Tried>

export const listReceived = (source: string, query: PageQuery & { readonly status?: Received['status'] }) =>
  dataOf(api.GET('/v1/sources/{id}/received', { params: { ...at(source), query } }))

export const getReceived = (id: string) =>
  dataOf(api.GET('/v1/received/{id}', { params: at(id) })) as Promise<ReceivedDetail>

export const retryReceived = (id: string): Promise<Received> =>
  dataOf(api.POST('/v1/received/{id}/retry', { params: { ...at(id), header: idempotencyHeaders() } }))
