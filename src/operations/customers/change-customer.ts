/** Changes of an existing customer: profile, blocking and erasure. */
import { isDeepStrictEqual } from 'node:util'
import { recordConsents } from '../../domain/consents.ts'
import { type CustomerView, customerStatus, type Profile, stillVerified } from '../../domain/customer.ts'
import type { Fact } from '../../domain/event.ts'
import type { CustomerId } from '../../domain/ids.ts'
import type { Language } from '../../domain/language.ts'
import { refuseLargeMetaData } from '../../domain/meta-data.ts'
import type { Organization } from '../../domain/organization.ts'
import { notFound } from '../../domain/refusal.ts'
import { lockCustomer, updateCustomerStatus, updateProfile } from '../../store/customers.ts'
import { erasureSteps } from '../../store/erasure.ts'
import { insertEvents } from '../../store/events.ts'
import type { Question } from '../../store/question.ts'
import type { Tenant } from '../../store/tenant.ts'
import { activeCoupons, type OwnedCoupon } from '../../store/wallets/load.ts'
import { updateWalletVersion } from '../../store/wallets/write.ts'
import { byOf, type OwnChange, type Staff } from '../actor.ts'
import type { Deps } from '../deps.ts'
import { mergePatch } from '../merge-patch.ts'
import { timeOf } from '../organizations/time-of.ts'
import type { WalletWork } from '../wallets/change-wallet.ts'
import { consentFacts, consentsTold } from './consent-facts.ts'
import { checkPurposes, type ProfileInput, toProfile, writeUnique } from './customer-profile.ts'
import { getCustomerView } from './customer-view.ts'

/** JSON Merge Patch: `null` removes a field, an absent field stays. */
export interface ProfilePatch {
  readonly data?: { readonly [K in 'phone' | 'email' | 'fullname']?: string | null }
  readonly metaData?: Record<string, unknown> | null
  readonly consents?: Record<string, boolean | null> | null
  readonly opaqueId?: string | null
  readonly language?: Language | null
}

export async function patchCustomer(
  deps: Deps,
  tenant: Tenant,
  organization: Organization,
  id: CustomerId | undefined,
  patch: ProfilePatch,
  by: Staff | OwnChange,
): Promise<CustomerView> {
  const before = id && (await lockCustomer(tenant, id))
  if (!id || !before) throw notFound('customer_not_found')
  const input = mergePatch(
    {
      data: { phone: before.phone, email: before.email, fullname: before.fullname },
      metaData: before.metaData,
      consents: before.consents,
      opaqueId: before.opaqueId,
      language: before.language,
    },
    patch,
  ) as { data: ProfileInput } & ProfileInput
  const { metaData, consents, opaqueId, language } = input
  if (patch.metaData) refuseLargeMetaData(metaData, before.metaData)
  checkPurposes(consents)
  const now = timeOf(deps, organization)
  const asked = toProfile({ ...input.data, metaData, consents, opaqueId, language }, organization)
  const told =
    by.kind === 'customer'
      ? ({ at: now, via: 'wallet', wordings: by.wordings } as const)
      : await consentsTold(tenant, by.kind, patch.consents ?? undefined, now)
  const profile: Profile = {
    ...asked,
    ...stillVerified(before, asked),
    consentHistory: recordConsents(before.consentHistory ?? [], before.consents, consents, told),
  }
  await writeUnique(tenant, profile, id, () => updateProfile(tenant, id, profile, now))
  const changed = changedFields(before, profile)
  if (changed.length > 0) {
    const facts = [changedFact(id, changed, by), ...consentFacts(id, before.consents, consents, by)]
    await insertEvents(tenant, facts, now)
  }
  return getCustomerView(deps, tenant, organization, id)
}

const changedFact = (
  customer: CustomerId,
  changed: readonly string[],
  by: Parameters<typeof byOf>[0],
): Fact => ({
  type: 'customer.changed',
  data: { customer, changed, by: byOf(by) },
})

const profileFields = {
  phone: 'data.phone',
  email: 'data.email',
  fullname: 'data.fullname',
  metaData: 'metaData',
  consents: 'consents',
  opaqueId: 'opaqueId',
  language: 'language',
} as const satisfies Partial<Record<keyof Profile, string>>

/** The names of the fields that differ, as the API calls them. What is inside the last three is personal. */
function changedFields(before: Profile, after: Profile): string[] {
  return (Object.keys(profileFields) as (keyof typeof profileFields)[])
    .filter((field) => !isDeepStrictEqual(before[field], after[field]))
    .map((field) => profileFields[field])
}

export async function setCustomerBlocked(
  deps: Deps,
  tenant: Tenant,
  by: Staff & { readonly organization: Organization },
  id: CustomerId | undefined,
  isBlocked: boolean,
): Promise<CustomerView> {
  if (!id || !(await updateWalletVersion(tenant, id))) throw notFound('customer_not_found')
  const status = isBlocked ? customerStatus.blocked : customerStatus.active
  const now = timeOf(deps, by.organization)
  const hasChanged = await updateCustomerStatus(tenant, id, status, now)
  if (hasChanged) await insertEvents(tenant, [changedFact(id, ['status'], by)], now)
  return getCustomerView(deps, tenant, by.organization, id)
}

/** Erases a customer who has never collected anything; another one stays. */
export function eraseUnused(id: CustomerId): ReturnType<typeof eraseCustomer> {
  const erasure = eraseCustomer(id)
  return {
    ...erasure,
    decide(known) {
      const held = known.wallet?.held
      const isUsed =
        held === undefined ||
        held.transactionCount > 0 ||
        held.balances.some(({ total }) => total !== 0) ||
        known.answers.coupons.length > 0
      return isUsed ? { result: id } : erasure.decide(known)
    },
  }
}

/**
 * Removes the personal data and keeps the numbers: the profile, stored responses and personal data in baskets
 * are deleted, phone, email and opaque ID become available again, cards are closed and coupons revoked.
 * Ledger entries and events contain only IDs and stay, so that all totals still add up.
 */
export function eraseCustomer(
  id: CustomerId | undefined,
): WalletWork<{ coupons: Question<OwnedCoupon[]> }, CustomerId> {
  if (!id) throw notFound('customer_not_found')
  return {
    of: id,
    questions: (tenant) => ({ coupons: activeCoupons(tenant, [id]) }),
    decide({ tenant, wallet, answers, now }) {
      if (!wallet) throw notFound('customer_not_found')
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
