/** The token in the address of a source, which names it before its organization is known. */
import { parseId, type SourceId } from '../../domain/ids.ts'
import { createSignedTokens } from '../signed-tokens.ts'

export interface SourceKey {
  /** Internal ID of the organization. */
  readonly org: number
  readonly source: SourceId
}

export interface SourceTokens {
  create(key: SourceKey): string
  /** Undefined if the token is not exactly as we created it. */
  read(token: string): SourceKey | undefined
}

export function createSourceTokens(pepper: string): SourceTokens {
  const tokens = createSignedTokens(pepper, 'addresses of sources')
  return {
    create: ({ org, source }) => tokens.create({ org, id: source.slice('src_'.length), number: 0 }),
    read(token) {
      const key = tokens.read(token)
      const source = key && parseId('src', `src_${key.id}`)
      return source && { org: key.org, source }
    },
  }
}

/** Where the source sends to. Square signs it, so it must be the same whenever it is made. */
export const addressOf = (publicUrl: string, tokens: SourceTokens, key: SourceKey): string =>
  `${publicUrl}/inbound/${tokens.create(key)}`
