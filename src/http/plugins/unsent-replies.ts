/**
 * Bounds what waits in memory for clients to read it. A large response counts from the moment it is sent until
 * it is taken or its connection closed; an organization that has too much on the way gets no new slot for a
 * request that may have a large response, as long as that is so.
 */
import { finished, Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import type { Party } from './processor-share.ts'

/** Together; a party may have as much as is left free by all, so that the next party finds some. */
const maxUnsentBytes = 64 * 1024 * 1024
/** What a stream has read ahead of its client, in rows and as text. */
const streamBytes = 2 * 1024 * 1024
/** The operating system takes responses of this size at once. */
const smallBytes = 64 * 1024

export interface UnsentReplies {
  hasRoom(party: Party): boolean
  /** Counts a response until it is taken. */
  watch(party: Party, reply: FastifyReply, payload: unknown): void
}

export function createUnsentReplies(onRoom: () => void): UnsentReplies {
  const unsent = new Map<Party, number>()
  let total = 0
  const change = (party: Party, bytes: number) => {
    const left = (unsent.get(party) ?? 0) + bytes
    total += bytes
    if (left === 0) unsent.delete(party)
    else unsent.set(party, left)
  }
  return {
    hasRoom: (party) => total === 0 || (unsent.get(party) ?? 0) < maxUnsentBytes - total,
    watch(party, { raw }, payload) {
      const bytes = sizeOf(payload)
      if (bytes <= smallBytes) return
      change(party, bytes)
      finished(raw, { readable: false }, () => {
        change(party, -bytes)
        onRoom()
      })
    },
  }
}

function sizeOf(payload: unknown): number {
  if (typeof payload === 'string' || Buffer.isBuffer(payload)) return Buffer.byteLength(payload)
  return payload instanceof Readable ? streamBytes : 0
}
