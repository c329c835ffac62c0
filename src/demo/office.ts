/**
 * What the café's own people do in the console. They call the HTTP API as everybody does, so that what the audit log
 * says of them is written by the code that always writes it.
 */
import type { Organization } from '../domain/organization.ts'
import type { Person, Role } from '../domain/person.ts'
import type { Deps } from '../operations/deps.ts'
import { listPeople } from '../store/people.ts'
import { deletePersonSessions, insertPersonSession } from '../store/person-sessions.ts'
import { tenantOf } from '../store/tenant.ts'
import type { DemoRequest, DemoResponse, Send } from './in-process-client.ts'

export interface Office {
  /** Done by whoever has the role, and answered with the body of the response; it must not be refused. */
  manage(role: Role, request: Omit<DemoRequest, 'session' | 'token'>): Promise<DemoResponse['body']>
  signIn(role: Role, at: Date): Promise<void>
  /** Everybody goes home: no session is left. */
  close(): Promise<void>
}

export async function openOffice(
  { pool, credentials }: Deps,
  { orgId }: Organization,
  send: Send,
): Promise<Office> {
  const own = tenantOf(pool, orgId)
  const people = await listPeople(own, { limit: 100 })
  const sessions = new Map<Person, { token: string; on: string }>()

  /** One for a day: they end when nobody uses them overnight. Opened without the password, whose hash takes its time. */
  async function sessionOf(role: Role, at: Date): Promise<string> {
    const person = people.find((candidate) => candidate.role === role)!
    const on = at.toISOString().slice(0, 10)
    const known = sessions.get(person)
    if (known?.on === on) return known.token
    const token = credentials.createFor('lwp', orgId)
    await insertPersonSession(own, { hash: credentials.hash(token), person: person.id, now: at })
    sessions.set(person, { token, on })
    return token
  }

  return {
    async manage(role, request) {
      const { status, body } = await send({ ...request, session: await sessionOf(role, request.at) })
      if (status >= 400) throw new Error(`${request.method} ${request.path}: ${JSON.stringify(body)}`)
      return body
    },
    async signIn(role, at) {
      await sessionOf(role, at)
    },
    async close() {
      for (const { id } of people) await deletePersonSessions(own, id)
    },
  }
}
