/** The methods of the client, derived from the API document: one for each operation of a till or a back office. */
import type { components, operations } from './api.ts'
import type { OperationName } from './operations.ts'
import type { Pages } from './pages.ts'

export type Schemas = components['schemas']
/** The code of a refusal. Codes are added over time: treat one you do not know by its status. */
export type RefusalCode = Schemas['ApiError']['message']
export type ErrorBody = Schemas['ApiError']

export interface CallOptions {
  readonly signal?: AbortSignal
  /** Of a write that can be repeated; made for you otherwise. Use one that you keep to survive a restart. */
  readonly idempotencyKey?: string
}

type Operation<K extends OperationName> = operations[K]

type PathParameters<K extends OperationName> =
  Operation<K> extends { parameters: { path: infer P } } ? keyof P & string : never
type Query<K extends OperationName> = NonNullable<Operation<K>['parameters']['query']>
type NeedsQuery<K extends OperationName> =
  Operation<K> extends { parameters: { query: object } } ? true : false
type Body<K extends OperationName> =
  Operation<K> extends { requestBody: { content: { 'application/json': infer B } } }
    ? B
    : Operation<K> extends { requestBody?: { content: { 'application/json': infer B } } }
      ? B | undefined
      : never

type Success = 200 | 201 | 202
type Reply<R> = {
  [S in keyof R & Success]: R[S] extends { content: { 'application/json': infer B } } ? B : string
}[keyof R & Success]
export type Result<K extends OperationName> = [Reply<Operation<K>['responses']>] extends [never]
  ? undefined
  : Reply<Operation<K>['responses']>

/** Paths have one parameter, except those of message texts. */
type PathArguments<K extends OperationName> = [PathParameters<K>] extends [never]
  ? []
  : 'language' extends PathParameters<K>
    ? [kind: string, channel: string, language: string]
    : [id: string]

type QueryOption<K extends OperationName> = [Query<K>] extends [never]
  ? unknown
  : { readonly query?: Query<K> }

type Payload<K extends OperationName> = [Body<K>] extends [never]
  ? [Query<K>] extends [never]
    ? [options?: CallOptions]
    : NeedsQuery<K> extends true
      ? [query: Query<K>, options?: CallOptions]
      : [query?: Query<K>, options?: CallOptions]
  : undefined extends Body<K>
    ? [body?: Body<K>, options?: CallOptions & QueryOption<K>]
    : [body: Body<K>, options?: CallOptions & QueryOption<K>]

/** A list is a promise of its first page, and iterates over the entries of all pages. */
type Returned<R> = R extends { data: readonly (infer T)[]; nextCursor?: string } ? Pages<T, R> : Promise<R>

export type Methods = {
  [K in OperationName]: (...args: [...PathArguments<K>, ...Payload<K>]) => Returned<Result<K>>
}
