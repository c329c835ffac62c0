import type { PersonId, UserId } from './ids.ts'
import type { ScopeName } from './organization.ts'

export const roles = ['owner', 'manager', 'cashier'] as const
export type Role = (typeof roles)[number]

/** What a person may do: what a connection may, and looking after the people. */
export type PersonScope = ScopeName | 'people'

const scopes: Record<Role, readonly PersonScope[]> = {
  owner: ['pos', 'manage', 'people'],
  manager: ['pos', 'manage'],
  cashier: ['pos'],
}

/** The e-mail address that a person signs in with, perhaps with space around it; of a customer it may be missing. */
export const personEmail = /^\s*[^\s@\p{Cc}\p{Cf}]{1,64}@[^\s@\p{Cc}\p{Cf}.]+(?:\.[^\s@\p{Cc}\p{Cf}.]+)+\s*$/u

export const scopesOf = (role: Role): readonly PersonScope[] => scopes[role]

export interface Person {
  readonly id: PersonId
  readonly email: string
  readonly name?: string
  readonly role: Role
  readonly isBlocked: boolean
  /** A person without one has been invited and not come yet. */
  readonly hasPassword: boolean
  /** The user of the directory that this person acts through. */
  readonly user: UserId
  readonly lastSeenAt?: Date
  readonly createdAt: Date
}

export type PersonStatus = 'invited' | 'active' | 'blocked'

export function statusOfPerson({ isBlocked, hasPassword }: Person): PersonStatus {
  if (isBlocked) return 'blocked'
  return hasPassword ? 'active' : 'invited'
}

/** What others are told of a person, over HTTP and by the command line. */
export function toPersonReply(person: Person) {
  const { id, email, name, role, lastSeenAt, createdAt } = person
  return {
    id,
    email,
    name,
    role,
    status: statusOfPerson(person),
    lastSeenAt: lastSeenAt?.toISOString(),
    createdAt: createdAt.toISOString(),
  }
}
