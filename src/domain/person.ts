import type { PersonId, UserId } from './ids.ts'
import type { ScopeName } from './organization.ts'

export const roles = ['owner', 'manager', 'cashier'] as const
export type Role = (typeof roles)[number]

/** What a person may do: everything a connection may, and manage people. */
export type PersonScope = ScopeName | 'people'

const scopes: Record<Role, readonly PersonScope[]> = {
  owner: ['pos', 'manage', 'people'],
  manager: ['pos', 'manage'],
  cashier: ['pos'],
}

/**
 * The email address a person signs in with, possibly surrounded by spaces; it may be missing for a customer.
 */
export const personEmail = /^\s*[^\s@\p{Cc}\p{Cf}]{1,64}@[^\s@\p{Cc}\p{Cf}.]+(?:\.[^\s@\p{Cc}\p{Cf}.]+)+\s*$/u

export const scopesOf = (role: Role): readonly PersonScope[] => scopes[role]

export interface Person {
  readonly id: PersonId
  readonly email: string
  readonly name?: string
  readonly role: Role
  readonly isBlocked: boolean
  /** A person without a password has been invited and has not joined yet. */
  readonly hasPassword: boolean
  /** The directory's user that this person acts as. */
  readonly user: UserId
  readonly lastSeenAt?: Date
  readonly createdAt: Date
}

export type PersonStatus = 'invited' | 'active' | 'blocked'

export function statusOfPerson({ isBlocked, hasPassword }: Person): PersonStatus {
  if (isBlocked) return 'blocked'
  return hasPassword ? 'active' : 'invited'
}

/** A person as shown over HTTP and on the command line. */
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
