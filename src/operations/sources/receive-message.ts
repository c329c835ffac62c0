/**
 * Takes what a source sends: its signature is verified, and it is stored and answered at once. Senders give up after
 * seconds and repeat what they believe was lost; whether it can be recorded is not theirs to know.
 */
import { allAdapters } from '../../adapters/all-adapters.ts'
import { notFound, Refused } from '../../domain/refusal.ts'
import { newId } from '../../store/new-id.ts'
import { insertReceived } from '../../store/received-messages.ts'
import { findSource, updateLastRejected } from '../../store/sources.ts'
import { tenantOf } from '../../store/tenant.ts'
import type { Deps } from '../deps.ts'
import { secretPlaceOf } from './manage-sources.ts'
import { addressOf, type SourceKey } from './source-tokens.ts'

export interface Message {
  readonly headers: Readonly<Record<string, string | undefined>>
  /** As it was sent. */
  readonly body: Buffer
  readonly payload: unknown
}

export async function receiveMessage(
  deps: Deps,
  key: SourceKey,
  { headers, body, payload }: Message,
): Promise<void> {
  const now = deps.clock()
  const tenant = tenantOf(deps.pool, key.org)
  const source = await findSource(tenant, key.source)
  if (!source) throw notFound('source_not_found')
  const adapter = allAdapters[source.kind]
  const sealed = source.sealedSecret
  const secret = sealed && deps.seal.open(sealed, secretPlaceOf(source.id))?.toString('utf8')
  const url = addressOf(deps.publicUrl(), deps.sourceTokens, key)
  const { signatureHeader } = source
  if (secret === undefined || !adapter.isGenuine({ url, headers, body }, secret, { signatureHeader })) {
    await updateLastRejected(tenant, source.id, now)
    throw new Refused('invalid_signature', sealed ? undefined : 'The source has no signing key yet.')
  }
  const { eventId, topic } = adapter.identify(headers, payload)
  const isStored = await insertReceived(tenant, {
    id: newId('rcv', now),
    source: source.id,
    eventId: eventId?.slice(0, 255),
    topic: topic?.slice(0, 255),
    payload: adapter.excerpt(payload),
    receivedAt: now,
  })
  // Senders try again later.
  if (!isStored) throw new Refused('_unavailable', 'Too many messages of the organization are waiting.')
}
