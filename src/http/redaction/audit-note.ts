/** Audit entry of a write: actor, operation, subject, and the body without secrets and personal data. */
import type { FastifyRequest } from 'fastify'
import { actorOf } from '../../operations/actor.ts'
import type { AuditNote } from '../../operations/transact.ts'
import { redact } from './redact.ts'

/**
 * What a till may do is not audited: it happens too often to be reviewed, and is recorded elsewhere. Where a
 * person could profit from it, such as by changing the phone number of a customer, it is.
 */
export function isAudited(request: FastifyRequest): boolean {
  const { access = 'public', isAuditedForPeople } = request.routeOptions.config
  if (isAuditedForPeople && request.caller.kind === 'person') return true
  return access === 'operator' || (Array.isArray(access) && !access.includes('pos'))
}

export function toAuditNote(request: FastifyRequest, org: number, reply: unknown): AuditNote {
  const { url = '', schema } = request.routeOptions
  const { operationId, body } = (schema ?? {}) as { operationId?: string; body?: unknown }
  const sent = (request.body ?? {}) as object
  const options = { route: url, schema: body, isAccepted: true }
  const details = Object.keys(sent).length > 0 ? redact(sent, options) : undefined
  return {
    org,
    by: actorOf(request.caller),
    action: operationId ?? `${request.method} ${url}`,
    subject: subjectOf(request.params, reply),
    details: details?.value,
    isTruncated: details?.isTruncated ?? false,
  }
}

/** Kind of object per ID prefix; `isPerson` if its name is personal data, which must not be kept forever. */
const kinds: Record<string, { readonly kind: string; readonly isPerson?: boolean }> = {
  org: { kind: 'organization' },
  con: { kind: 'connection' },
  dlv: { kind: 'delivery' },
  whk: { kind: 'webhook' },
  msg: { kind: 'message' },
  imp: { kind: 'import' },
  src: { kind: 'source' },
  rcv: { kind: 'received' },
  cus: { kind: 'customer', isPerson: true },
  card: { kind: 'card' },
  cmp: { kind: 'campaign' },
  cpn: { kind: 'coupon' },
  prd: { kind: 'product' },
  brn: { kind: 'branch' },
  usr: { kind: 'user', isPerson: true },
  psn: { kind: 'person', isPerson: true },
}

/** The created or changed object: the one in the response, or else the one in the path. */
function subjectOf(params: unknown, reply: unknown): AuditNote['subject'] {
  const answered = (reply ?? {}) as { id?: unknown; name?: unknown }
  for (const { id, name } of [answered, params as { id?: unknown; name?: unknown }]) {
    const prefix = typeof id === 'string' ? /^([a-z]+)_[0-9a-f]{32}$/.exec(id)?.[1] : undefined
    const known = prefix === undefined ? undefined : kinds[prefix]
    if (!known) continue
    const isNamed = typeof name === 'string' && !known.isPerson
    return { kind: known.kind, id: id as string, ...(isNamed && { name }) }
  }
  return undefined
}
