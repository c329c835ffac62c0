import { Refused } from './refusal.ts'

/** A note about the sale or the customer; lists and exports repeat it. */
const maxBytes = 8 * 1024

export type MetaData = Record<string, unknown>

/** Refuses metadata that is too large, unless it replaces what has been stored at a larger size before. */
export function refuseLargeMetaData(metaData: MetaData | null | undefined, before?: MetaData): void {
  if (!metaData) return
  const bytes = sizeOf(metaData)
  if (bytes <= maxBytes || (before && bytes <= sizeOf(before))) return
  const kb = Math.ceil((bytes / 1024) * 10) / 10
  throw new Refused('_invalid_payload', `metaData: must have at most 8 KB as JSON; it has ${kb} KB.`)
}

export const isMetaDataTooLarge = (metaData: MetaData) => sizeOf(metaData) > maxBytes

const sizeOf = (metaData: MetaData) => Buffer.byteLength(JSON.stringify(metaData))
