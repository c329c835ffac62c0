/** Changes to one customer that already exists: profile, blocking, erasure and export of everything kept. */
import { type CustomerView, customerStatus } from '../domain/customer.ts'
import type { Fact } from '../domain/event.ts'
import type { CustomerId } from '../domain/ids.ts'
import type { Organization } from '../domain/organization.ts'
import { Refused } from '../domain/refusal.ts'
import { closeCards } from '../store/cards.ts'
import { revokeActiveCoupons } from '../store/coupons.ts'
import { findCustomerView, lockCustomer, updateCustomerStatus, updateProfile } from '../store/customers.ts'
import { eraseStoredReplies } from '../store/idempotency.ts'
import { lockWallet } from '../store/ledger.ts'
import type { Scope } from '../store/scope.ts'
import { eraseTransactionMetaData } from '../store/transactions.ts'
import { type ProfileInput, toProfile, writeUnique } from './customer-profile.ts'
import { mergePatch } from './merge-patch.ts'
import { recordFacts } from './record-facts.ts'

export async function getCustomerView(
  scope: Scope,
  id: CustomerId | undefined,
  now: Date,
): Promise<CustomerView> {
  const view = id && (await findCustomerView(scope, id, now))
  if (!view) throw new Refused('customer_not_found', undefined, 'path')
  return view
}

/** JSON Merge Patch: a member that is `null` is removed, one that is absent stays. */
export interface ProfilePatch {
  readonly data?: { readonly [K in 'phone' | 'email' | 'fullname']?: string | null }
  readonly metaData?: Record<string, unknown> | null
  readonly consents?: Record<string, unknown> | null
  readonly opaqueId?: string | null
}

export async function patchCustomer(
  scope: Scope,
  organization: Organization,
  id: CustomerId | undefined,
  patch: ProfilePatch,
  now: Date,
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
  await writeUnique(scope, profile, id, () => updateProfile(scope, id, profile, now))
  return getCustomerView(scope, id, now)
}

export async function setCustomerBlocked(
  scope: Scope,
  id: CustomerId | undefined,
  isBlocked: boolean,
  now: Date,
): Promise<CustomerView> {
  if (!id || !(await lockWallet(scope, id))) throw new Refused('customer_not_found', undefined, 'path')
  await updateCustomerStatus(scope, id, isBlocked ? customerStatus.blocked : customerStatus.active, now)
  return getCustomerView(scope, id, now)
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
  const facts: Fact[] = revoked.map((coupon) => ({ type: 'coupon.revoked', data: { customer: id, coupon } }))
  await recordFacts(scope, organization, [...facts, { type: 'customer.erased', data: { customer: id } }], now)
}
