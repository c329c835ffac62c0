/** Changes to one customer that already exists: profile, blocking, erasure and export of everything kept. */
import { type CustomerView, customerStatus } from '../domain/customer.ts'
import type { Fact } from '../domain/event.ts'
import type { CustomerId } from '../domain/ids.ts'
import type { Organization } from '../domain/organization.ts'
import { Refused } from '../domain/refusal.ts'
import { closeCards } from '../store/cards.ts'
import { revokeActiveCoupons } from '../store/coupons.ts'
import { lockCustomer, updateCustomerStatus, updateProfile } from '../store/customers.ts'
import { eraseStoredReplies } from '../store/idempotency.ts'
import { eraseReasons, lockWallet } from '../store/ledger.ts'
import type { Scope } from '../store/scope.ts'
import { eraseTransactionMetaData } from '../store/transactions.ts'
import { type ProfileInput, toProfile, writeUnique } from './customer-profile.ts'
import { getCustomerView } from './customer-view.ts'
import type { Deps } from './deps.ts'
import { mergePatch } from './merge-patch.ts'
import { recordFacts } from './record-facts.ts'

/** JSON Merge Patch: a member that is `null` is removed, one that is absent stays. */
export interface ProfilePatch {
  readonly data?: { readonly [K in 'phone' | 'email' | 'fullname']?: string | null }
  readonly metaData?: Record<string, unknown> | null
  readonly consents?: Record<string, unknown> | null
  readonly opaqueId?: string | null
}

export async function patchCustomer(
  deps: Deps,
  scope: Scope,
  organization: Organization,
  id: CustomerId | undefined,
  patch: ProfilePatch,
): Promise<CustomerView> {
  const before = id && (await lockCustomer(scope, id))
  if (!id || !before) throw new Refused('customer_not_found', undefined, 'path')
  const input = mergePatch(
    {
      data: { phone: before.phone, email: before.email, fullname: before.fullname },
      metaData: before.metaData,
      consents: before.consents,
      opaqueId: before.opaqueId,
    },
    patch,
  ) as { data: ProfileInput } & ProfileInput
  const { metaData, consents, opaqueId } = input
  const profile = toProfile({ ...input.data, metaData, consents, opaqueId }, organization)
  await writeUnique(scope, profile, id, () => updateProfile(scope, id, profile, deps.clock()))
  return getCustomerView(deps, scope, organization, id)
}

export async function setCustomerBlocked(
  deps: Deps,
  scope: Scope,
  organization: Organization,
  id: CustomerId | undefined,
  isBlocked: boolean,
): Promise<CustomerView> {
  if (!id || !(await lockWallet(scope, id))) throw new Refused('customer_not_found', undefined, 'path')
  const status = isBlocked ? customerStatus.blocked : customerStatus.active
  await updateCustomerStatus(scope, id, status, deps.clock())
  return getCustomerView(deps, scope, organization, id)
}

/**
 * Removes the person and keeps the numbers: profile, stored answers and whatever baskets carried of it are
 * gone, phone, e-mail and opaque id are free again, cards are closed and coupons taken back. Ledger entries
 * and events hold ids only and stay, so that every sum still comes out.
 */
export async function eraseCustomer(
  scope: Scope,
  organization: Organization,
  id: CustomerId | undefined,
  now: Date,
): Promise<void> {
  if (!id || !(await lockWallet(scope, id))) throw new Refused('customer_not_found', undefined, 'path')
  const revoked = await revokeActiveCoupons(scope, id, now)
  await closeCards(scope, id, now)
  await updateProfile(scope, id, {}, now)
  await updateCustomerStatus(scope, id, customerStatus.erased, now)
  await eraseStoredReplies(scope, id)
  await eraseTransactionMetaData(scope, id)
  await eraseReasons(scope, id)
  const facts: Fact[] = revoked.map((coupon) => ({ type: 'coupon.revoked', data: { customer: id, coupon } }))
  await recordFacts(scope, organization, [...facts, { type: 'customer.erased', data: { customer: id } }], now)
}
