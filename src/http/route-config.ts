import type { PersonScope } from '../domain/person.ts'
import type { RefusalCode } from '../domain/refusal.ts'
import type { Caller } from '../operations/deps.ts'
import type { NamedPage } from '../operations/enrollment/open-page.ts'
import type { ListEntry } from '../operations/linked-list.ts'
import type { SourceKey } from '../operations/sources/source-tokens.ts'
import type { WalletKey } from '../operations/wallet-page/wallet-tokens.ts'
import type { PersonSession } from '../store/person-sessions.ts'
import type { TraceContext } from '../tracing/trace-context.ts'
import type { Lane, Lanes } from './plugins/admission.ts'
import type { Party } from './plugins/processor-share.ts'
import type { Turns } from './plugins/turns.ts'

/**
 * Who may use a route: everyone, the platform operator, any signed-in person, or a caller with one of these
 * scopes. A page is public, too, but is not rate limited: it costs only its bytes, and a browser requests
 * many.
 */
export type Access = 'public' | 'page' | 'operator' | 'session' | readonly PersonScope[]

declare module 'fastify' {
  interface FastifyContextConfig {
    access?: Access
    /** Refusals of this operation in addition to the common ones; listed in the OpenAPI document. */
    refusals?: readonly RefusalCode[]
    /** A till may do it, but if a person does, the audit log tells who. */
    isAuditedForPeople?: boolean
    /** Takes a form as well, whose content is ignored. */
    takesForm?: boolean
    /** The handler needs the bytes of the body, of which there is a signature. */
    keepsRawBody?: boolean
    /** A POST that writes and honors `Idempotency-Key`. */
    isRepeatable?: boolean
    /** The handler validates the body itself; the schema is documentation only. */
    skipsBodySchema?: boolean
    /** The operation itself checks, on the setup it reads, whether the organization and the token are valid. */
    readsSetup?: boolean
    /** Set for reading the logs, which is not logged itself. */
    skipsRequestLog?: boolean
    /** The response contains a secret that is shown once: it is not logged, and takes no `Idempotency-Key`. */
    hidesReply?: boolean
    /** Keeps the processor busy for long, or sends much: an organization has one of them running at a time. */
    isLong?: boolean
    /** A report, a list or an export: a read replica may answer, with data that is a little old. */
    mayLag?: boolean
    /** Admission lane. Defaults to `connection`, and to `none` for public routes. */
    lane?: Lane
  }
  interface FastifyInstance {
    /** Throws if the caller of a request that has waited may no longer make it. */
    checkAgain(request: FastifyRequest): Promise<void>
    /** Set before any route. */
    lanes: Lanes
  }
  interface FastifyRequest {
    /** Set on every route whose access is a list of scopes, or a session. */
    caller: Caller
    /** Session of a signed-in person; set on every route whose access is a session. */
    session: PersonSession
    /** When the browser changed something last; 0 without a read replica. */
    lastWriteMs: number
    /** When the request began, in milliseconds of `performance.now()`; 0 before that. */
    startedMs: number
    /** The client has already been told that the request took too long. */
    isLate: boolean
    /** How long the request stood aside to wait for something to happen; without end while it does. */
    waitedMs: number
    /** Content of the wallet token in the URL; set on every route under `/w/:token`. */
    wallet: WalletKey | undefined
    /** The page that the URL names; set on every route under `/j/:name`. */
    enrollment: NamedPage | undefined
    /** The source that the URL names; set on the route that receives messages. */
    source: SourceKey | undefined
    /** The bytes of the body; set where the route asks for them. */
    rawBody: Buffer | undefined
    /** The trace that the request belongs to: its caller's, or with a tracer our own span. */
    trace: TraceContext | undefined
    /** Set while the request holds a slot. */
    turn: { readonly turns: Turns; readonly party: Party; readonly steps: number } | undefined
  }
  interface FastifyReply {
    /** Its entry among the requests that have a deadline. */
    running: ListEntry<FastifyReply> | undefined
  }
}
