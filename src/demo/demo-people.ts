/** The people of the demo, whose password is printed and must stay valid from one start to the next. */

import { createPerson, patchPerson } from '../operations/auth/manage-people.ts'
import type { Deps } from '../operations/deps.ts'
import { findLogin, findPasswordHash, findPerson, updatePassword } from '../store/people.ts'
import { platformOrg, type Tenant } from '../store/tenant.ts'

export const consoleEmail = 'owner@demo.example'

const people = [
  { email: consoleEmail, name: 'Olivia Owner', role: 'owner' },
  { email: 'manager@demo.example', name: 'Max Manager', role: 'manager' },
  { email: 'cashier@demo.example', name: 'Casey Cashier', role: 'cashier' },
] as const

/** Adds missing people and resets the password of all of them, whatever was set meanwhile. */
export async function setDemoPeople(
  { passwords, clock }: Deps,
  own: Tenant,
  password: string,
): Promise<void> {
  const now = clock()
  // All have the same hash, so that a start needs one comparison instead of one per person.
  let hash: string | undefined
  for (const input of people) {
    const login = await findLogin(own.as(platformOrg), input.email)
    // The address was removed here and now belongs to a person of another organization.
    if (login && login.org !== own.orgId) continue
    const id = login?.person ?? (await createPerson(own, input, now)).id
    const known = await findPasswordHash(own, id)
    hash ??= known && (await passwords.matches(password, known)) ? known : await passwords.hash(password)
    if (known !== hash) await updatePassword(own, id, hash, now)
    const person = (await findPerson(own, id))!
    if (input.role === 'owner' && (person.role !== 'owner' || person.isBlocked)) {
      await patchPerson(own, id, { role: 'owner', status: 'active' }, now)
    }
  }
}
