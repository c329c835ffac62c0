import type { Pool } from 'pg'
import { type OrganizationId, parseId } from '../domain/ids.ts'
import type { Organization } from '../domain/organization.ts'
import { Refused } from '../domain/refusal.ts'
import { findOrganization, listOrganizations } from '../store/organizations.ts'
import { platformTenant } from '../store/tenant.ts'

const pageSize = 100

/** Reads all pages of a list. */
export async function listAll<I extends string, T extends { readonly id: I }>(
  readPage: (after: I | undefined, limit: number) => Promise<T[]>,
): Promise<T[]> {
  const all: T[] = []
  for (let page: T[] | undefined; page === undefined || page.length === pageSize; ) {
    page = await readPage(all.at(-1)?.id, pageSize)
    all.push(...page)
  }
  return all
}

/** The organization with this id, or without one all of them. */
export async function listChosenOrganizations(pool: Pool, only: string | undefined): Promise<Organization[]> {
  const tenant = platformTenant(pool)
  if (only === undefined)
    return listAll((after: OrganizationId | undefined, limit) => listOrganizations(tenant, { limit, after }))
  const id = parseId('org', only)
  const found = id && (await findOrganization(tenant, id))
  if (!found) throw new Refused('organization_not_found')
  return [found]
}

const maxNameLength = 200

/** Checks a name, with the same limit as the platform endpoints. */
export function readName(text: string): string {
  const name = text.trim()
  if (name !== '' && name.length <= maxNameLength) return name
  throw new Refused('_invalid_payload', `name: must have 1 to ${maxNameLength} characters.`)
}
