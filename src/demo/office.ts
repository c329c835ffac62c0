/**
 * What the café's own people do in the console. They call the service as everybody does, over HTTP, but from within the
 * process and at a moment of the story: what the audit log says of them is written by the code that writes it always.
 */
import type { Organization } from '../domain/organization.ts'
import type { Person, Role } from '../domain/person.ts'
import type { Deps } from '../operations/deps.ts'
import { listPeople } from '../store/people.ts'
import { deletePersonSessions, insertPersonSession } from '../store/person-sessions.ts'
import { inTransaction, type Tenant, tenantOf } from '../store/tenant.ts'

export interface Call {
  readonly at: Date
  readonly method: 'GET' | 'POST' | 'PATCH'
  readonly path: string
  /** Of a person who signed in, or of the till. */
  readonly session?: string
  readonly token?: string
  /** Makes a repeat of the call safe. */
  readonly key?: string
  readonly body?: object
}

export interface Answer {
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: whoever calls knows what is answered, as a client does.
  readonly body: any
}

/** What the story goes on with. No more of an answer is kept: a customer of the demo can be erased like any other. */
type Done = Pick<Answer['body'], 'id' | 'value' | 'expiresAt'>

export type Send = (call: Call) => Promise<Answer>

export interface Office {
  /** Done by whoever has the role, once for the key; it must not be refused. */
  manage(role: Role, call: Omit<Call, 'session' | 'token'> & { key: string }): Promise<Done>
  signIn(role: Role, at: Date): Promise<void>
  /** Everybody goes home: no session of the story is left. */
  close(): Promise<void>
}

type Once = <T>(key: string, work: (tenant: Tenant) => Promise<T>) => Promise<T>

export async function openOffice(
  real: Deps,
  { orgId }: Organization,
  send: Send,
  once: Once,
): Promise<Office> {
  const own = tenantOf(real.pool, orgId)
  const people = await listPeople(own, { limit: 100 })
  const sessions = new Map<Person, { token: string; on: string }>()

  /** One for a day: they end when nobody uses them overnight. Opened without the password, whose hash takes its time. */
  async function sessionOf(role: Role, at: Date): Promise<string> {
    const person = people.find((one) => one.role === role)!
    const on = at.toISOString().slice(0, 10)
    const known = sessions.get(person)
    if (known?.on === on) return known.token
    const token = real.credentials.createFor('lwp', orgId)
    await insertPersonSession(own, { hash: real.credentials.hash(token), person: person.id, now: at })
    sessions.set(person, { token, on })
    return token
  }

  return {
    manage: (role, call) =>
      once(`office ${call.key}`, async () => {
        const { status, body } = await send({ ...call, session: await sessionOf(role, call.at) })
        if (status >= 400) throw new Error(`${call.method} ${call.path}: ${JSON.stringify(body)}`)
        const { id, value, expiresAt } = body
        return { id, value, expiresAt }
      }),
    async signIn(role, at) {
      await sessionOf(role, at)
    },
    async close() {
      await inTransaction(real.pool, orgId, async (tenant) => {
        for (const { id } of people) await deletePersonSessions(tenant, id)
      })
    },
  }
}
