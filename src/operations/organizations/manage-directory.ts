/** How a merchant manages products, branches and users. Baskets add to the directory automatically. */
import { type BranchId, parseId } from '../../domain/ids.ts'
import { decimalsOf, maxPriceDecimals } from '../../domain/money.ts'
import { notFound, type RefusalCode, Refused } from '../../domain/refusal.ts'
import {
  type DirectoryEntry,
  type DirectoryKind,
  findBranchByOpaqueId,
  findDirectoryEntry,
  insertDirectoryEntry,
  lockDirectoryEntry,
  updateDirectoryEntry,
} from '../../store/directory.ts'
import { newId } from '../../store/new-id.ts'
import type { Tenant } from '../../store/tenant.ts'
import { refuseOnConstraint } from '../refuse-on-constraint.ts'

/** Names for one kind of entry. */
const kinds = {
  products: { prefix: 'prd', notFound: 'product_not_found' },
  branches: { prefix: 'brn', notFound: 'branch_not_found' },
  users: { prefix: 'usr', notFound: 'user_not_found' },
} as const satisfies Record<DirectoryKind, { prefix: 'prd' | 'brn' | 'usr'; notFound: RefusalCode }>

export interface EntryInput {
  readonly opaqueId: string
  readonly name?: string
  readonly category?: string
  readonly price?: number
  /** ID or opaque ID of a branch. */
  readonly branch?: string
}

/** JSON Merge Patch: `null` removes a value. */
export type EntryPatch = { readonly [M in 'name' | 'category' | 'branch']?: string | null } & {
  readonly price?: number | null
}

export async function createDirectoryEntry(
  tenant: Tenant,
  kind: DirectoryKind,
  input: EntryInput,
  now: Date,
): Promise<DirectoryEntry> {
  const { opaqueId, name, category, price } = input
  checkPrice(price)
  const branch = input.branch === undefined ? undefined : await getBranch(tenant, input.branch)
  const id = newId(kinds[kind].prefix, now)
  const entry = { id, opaqueId, name, category, price, branch, createdAt: now }
  await refuseOnConstraint({ [`${kind}_opaque_id_unique`]: 'opaque_id_already_exists' }, () =>
    insertDirectoryEntry(tenant, kind, entry),
  )
  return (await findDirectoryEntry(tenant, kind, id))!
}

export async function getDirectoryEntry(
  tenant: Tenant,
  kind: DirectoryKind,
  text: string,
): Promise<DirectoryEntry> {
  const id = parseId(kinds[kind].prefix, text)
  const entry = id && (await findDirectoryEntry(tenant, kind, id))
  if (!entry) throw notFound(kinds[kind].notFound)
  return entry
}

export async function patchDirectoryEntry(
  tenant: Tenant,
  kind: DirectoryKind,
  text: string,
  patch: EntryPatch,
  now: Date,
): Promise<DirectoryEntry> {
  checkPrice(patch.price)
  const id = parseId(kinds[kind].prefix, text)
  const before = id && (await lockDirectoryEntry(tenant, kind, id))
  if (!before) throw notFound(kinds[kind].notFound)
  const chosen = <T>(given: T | null | undefined, old: T | undefined) =>
    given === null ? undefined : (given ?? old)
  const branch = typeof patch.branch === 'string' ? await getBranch(tenant, patch.branch) : patch.branch
  await updateDirectoryEntry(tenant, kind, {
    ...before,
    name: chosen(patch.name, before.name),
    category: chosen(patch.category, before.category),
    price: chosen(patch.price, before.price),
    branch: chosen(branch, before.branch),
    updatedAt: now,
  })
  return getDirectoryEntry(tenant, kind, before.id)
}

/** A till sends it as `unitPrice`, so it must not have more decimals than that allows. */
function checkPrice(price: number | null | undefined): void {
  if (typeof price === 'number' && decimalsOf(price) > maxPriceDecimals) {
    throw new Refused('_invalid_payload', `price: must have at most ${maxPriceDecimals} decimals.`)
  }
}

/** Finds a branch by our ID or by the client's. */
export async function findBranch(tenant: Tenant, text: string): Promise<BranchId | undefined> {
  const id = parseId('brn', text)
  const byId = id && (await findDirectoryEntry(tenant, 'branches', id)) && id
  return byId ?? findBranchByOpaqueId(tenant, text)
}

async function getBranch(tenant: Tenant, text: string): Promise<BranchId> {
  const found = await findBranch(tenant, text)
  if (!found) throw new Refused('invalid_branch', `branch: "${text}" is not in the directory.`)
  return found
}
