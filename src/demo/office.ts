/**
 * What the café's own people do in the console. They use the HTTP API like any client, so that their audit
 * entries are written by the usual code.
 */
import type { Organization } from '../domain/organization.ts'
import type { Person, Role } from '../domain/person.ts'
import type { Deps } from '../operations/deps.ts'
import { listPeople } from '../store/people.ts'
import { deletePersonSessions, insertPersonSession } from '../store/person-sessions.ts'
import { tenantOf } from '../store/tenant.ts'
import type { DemoRequest, DemoResponse, Send } from './in-process-client.ts'

export interface Office {
  /** Sends a request as the person with this role and returns the response body; it must not be refused. */
  manage(role: Role, request: Omit<DemoRequest, 'session' | 'token'>): Promise<DemoResponse['body']>
  signIn(role: Role, at: Date): Promise<void>
  /** Ends all sessions. */
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

  /**
   * One session per day, since they expire overnight. Opened without the password, whose hash would be slow.
   */
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
