import type { PersonScope } from '../domain/person.ts'
import type { RefusalCode } from '../domain/refusal.ts'
import type { Caller } from '../operations/deps.ts'
import type { WalletKey } from '../operations/wallet-page/wallet-tokens.ts'
import type { PersonSession } from '../store/person-sessions.ts'
import type { Lane } from './plugins/admission.ts'
import type { Party, Turns } from './plugins/turns.ts'

/**
 * Who may call: anybody, a platform operator, whoever has signed in, or a caller with one of these scopes. A page is
 * for anybody too, and since it costs nothing but its bytes it counts against no limit: a browser asks for many.
 */
export type Access = 'public' | 'page' | 'operator' | 'session' | readonly PersonScope[]

declare module 'fastify' {
  interface FastifyContextConfig {
    access?: Access
    /** The refusals of this operation beyond those every call can get; documented in the OpenAPI document. */
    refusals?: readonly RefusalCode[]
    /** A POST that writes and honours `Idempotency-Key`. */
    isRepeatable?: boolean
    /** The handler checks the body itself; the schema is documentation only. */
    skipsBodySchema?: boolean
    /** The work itself reads whether the organization has changed or is no longer subscribed. */
    readsSetup?: boolean
    /** Reading the logs leaves no trace in them. */
    skipsRequestLog?: boolean
    /** What is answered shows a secret, once: the request log keeps nothing of it. */
    hidesReply?: boolean
    /** Which turns the call takes; unless told those for connections, and none where anybody may call. */
    lane?: Lane
  }
  interface FastifyRequest {
    /** Set on every route whose access is a list of scopes, or a session. */
    caller: Caller
    /** Of a person who signed in; set on every route whose access is a session. */
    session: PersonSession
    /** Its caller was told that it took too long. */
    isLate: boolean
    /** What the address of a wallet page says; set on every route under it. */
    wallet: WalletKey | undefined
    /** While the call is in work. */
    turn: { readonly turns: Turns; readonly party: Party } | undefined
  }
}
