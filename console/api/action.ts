import type { Schemas } from './client.ts'

type Kinds = Schemas['Action']
type FieldOf<T> = T extends unknown ? keyof T : never
type ValueOf<T, K extends PropertyKey> = T extends unknown ? (K extends keyof T ? T[K] : never) : never

/**
 * What a sale or a return did, with the fields of all kinds of actions. Texts are composed from what is there,
 * and a kind that is newer than this page still gets one.
 */
export type Action = { readonly type: string } & {
  readonly [K in Exclude<FieldOf<Kinds>, 'type'>]?: ValueOf<Kinds, K>
}
