/** Runs a write and sends its response: a new one, or the stored one if the idempotency key is repeated. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { CustomerId } from '../domain/ids.ts'
import { Refused } from '../domain/refusal.ts'
import type { Deps } from '../operations/deps.ts'
import { fingerprintOf } from '../operations/fingerprint.ts'
import { type Reply, transact, type Write, type WriteCall, type WriteResult } from '../operations/transact.ts'
import { transactChange, type WalletWork } from '../operations/wallets/change-wallet.ts'
import type { Questions } from '../store/question.ts'
import { platformOrg } from '../store/tenant.ts'
import { isAudited, toAuditNote } from './redaction/audit-note.ts'
import { meaningOf } from './requests/body-meaning.ts'

interface WriteReply<T> {
  readonly status: number
  readonly render: (result: T) => unknown
  /** Adds to the response, also to a replayed one, what must not be stored. */
  readonly finish?: (body: never) => unknown
  /** The customer whose personal data the response contains. */
  readonly customerOf?: (result: T) => CustomerId | undefined
  /** The organization that an operator's request concerns, whose audit log gets the entry. */
  readonly orgOf?: (result: T) => number
}

export interface WriteSpec<T, Q extends Questions = Record<never, never>>
  extends WriteReply<T>,
    Write<Q, T> {}

export async function respondToWrite<T, Q extends Questions = Record<never, never>>(
  deps: Deps,
  request: FastifyRequest,
  reply: FastifyReply,
  spec: WriteSpec<T, Q>,
) {
  return send(reply, spec, await transact(deps, orgOf(request), spec, replyTo(request, spec)))
}

/** Like `respondToWrite`, for a change of a wallet. */
export async function respondToChange<Q extends Questions, T>(
  deps: Deps,
  request: FastifyRequest,
  reply: FastifyReply,
  change: WalletWork<Q, T>,
  spec: WriteReply<T>,
) {
  return send(reply, spec, await transactChange(deps, orgOf(request), change, replyTo(request, spec)))
}

/** The configuration of a route with which staff changes a wallet. */
export const walletChange = { access: ['manage'], readsSetup: true, isRepeatable: true } as const

const orgOf = ({ caller }: FastifyRequest) => caller?.organization.orgId ?? platformOrg

function replyTo<T>(request: FastifyRequest, spec: WriteReply<T>): Reply<T> {
  return {
    call: callOf(request),
    caller: request.caller,
    answer: (result) => ({
      status: spec.status,
      body: spec.render(result),
      customer: spec.customerOf?.(result),
    }),
    audit: (result, body) => {
      const concerned = request.caller ? orgOf(request) : spec.orgOf?.(result)
      return concerned !== undefined && isAudited(request) ? toAuditNote(request, concerned, body) : undefined
    },
  }
}

function callOf(request: FastifyRequest): WriteCall | undefined {
  const key = idempotencyKey(request)
  if (key === undefined) return undefined
  const { body: sent = {} } = request
  const { schema, config } = request.routeOptions
  const meaning = schema?.body && !config.skipsBodySchema ? meaningOf(schema.body, sent) : sent
  return { route: `${request.method} ${pathOf(request)}`, key, fingerprint: fingerprintOf(meaning, sent) }
}

function send<T>(reply: FastifyReply, { finish }: WriteReply<T>, { status, body, isReplay }: WriteResult) {
  if (isReplay) reply.header('idempotent-replayed', 'true')
  return reply.code(status).send(finish ? (finish as (body: unknown) => unknown)(body) : body)
}

function pathOf(request: FastifyRequest): string {
  return request.url.split('?', 1)[0]!
}

/** Idempotency key of the request; routes whose response contains a secret have refused it before. */
export function idempotencyKey(request: FastifyRequest): string | undefined {
  const key = request.headers['idempotency-key']
  if (key === undefined || !request.routeOptions.config.isRepeatable) return undefined
  if (typeof key !== 'string' || !/^[\x20-\x7e]{1,255}$/.test(key)) {
    throw new Refused('_invalid_payload', 'Idempotency-Key: must have 1 to 255 printable ASCII characters.')
  }
  return key
}
