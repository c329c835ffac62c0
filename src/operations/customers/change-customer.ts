/** Changes to one customer that already exists: profile, blocking, erasure and export of everything kept. */
import { type CustomerView, customerStatus } from '../../domain/customer.ts'
import type { Fact } from '../../domain/event.ts'
import type { CustomerId } from '../../domain/ids.ts'
import type { Organization } from '../../domain/organization.ts'
import { Refused } from '../../domain/refusal.ts'
import { lockCustomer, updateCustomerStatus, updateProfile } from '../../store/customers.ts'
import { erasureSteps } from '../../store/erasure.ts'
import type { Question } from '../../store/question.ts'
import type { Tenant } from '../../store/tenant.ts'
import { activeCoupons, type OwnedCoupon } from '../../store/wallets/load.ts'
import { updateWalletVersion } from '../../store/wallets/write.ts'
import type { Deps } from '../deps.ts'
import { mergePatch } from '../merge-patch.ts'
import type { WalletWork } from '../wallets/change-wallet.ts'
import { type ProfileInput, toProfile, writeUnique } from './customer-profile.ts'
import { getCustomerView } from './customer-view.ts'

/** JSON Merge Patch: a member that is `null` is removed, one that is absent stays. */
export interface ProfilePatch {
  readonly data?: { readonly [K in 'phone' | 'email' | 'fullname']?: string | null }
  readonly metaData?: Record<string, unknown> | null
  readonly consents?: Record<string, unknown> | null
  readonly opaqueId?: string | null
}

export async function patchCustomer(
  deps: Deps,
  tenant: Tenant,
  organization: Organization,
  id: CustomerId | undefined,
  patch: ProfilePatch,
): Promise<CustomerView> {
  const before = id && (await lockCustomer(tenant, id))
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
  await writeUnique(tenant, profile, id, () => updateProfile(tenant, id, profile, deps.clock()))
  return getCustomerView(deps, tenant, organization, id)
}

export async function setCustomerBlocked(
  deps: Deps,
  tenant: Tenant,
  organization: Organization,
  id: CustomerId | undefined,
  isBlocked: boolean,
): Promise<CustomerView> {
  if (!id || !(await updateWalletVersion(tenant, id)))
    throw new Refused('customer_not_found', undefined, 'path')
  const status = isBlocked ? customerStatus.blocked : customerStatus.active
  await updateCustomerStatus(tenant, id, status, deps.clock())
  return getCustomerView(deps, tenant, organization, id)
}

/**
 * Removes the person and keeps the numbers: profile, stored answers and whatever baskets carried of it are
 * gone, phone, e-mail and opaque id are free again, cards are closed and coupons taken back. Ledger entries
 * and events hold ids only and stay, so that every sum still comes out.
 */
export function eraseCustomer(
  id: CustomerId | undefined,
): WalletWork<{ coupons: Question<OwnedCoupon[]> }, CustomerId> {
  if (!id) throw new Refused('customer_not_found', undefined, 'path')
  return {
    of: id,
    questions: (tenant) => ({ coupons: activeCoupons(tenant, [id]) }),
    decide({ tenant, wallet, answers, now }) {
      if (!wallet) throw new Refused('customer_not_found', undefined, 'path')
      const { customer, version: fromVersion } = wallet
      const revoked = answers.coupons.map((coupon) => coupon.id)
      const facts: Fact[] = [
        ...revoked.map((coupon): Fact => ({ type: 'coupon.revoked', data: { customer, coupon } })),
        { type: 'customer.erased', data: { customer } },
      ]
      return {
        result: customer,
        change: { customer, fromVersion, revoked, facts, cause: { kind: 'erasure' } },
        alongside: erasureSteps(tenant, customer, now),
      }
    },
  }
}
