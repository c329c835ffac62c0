/**
 * Looks up customers by what was scanned or typed at a till, or by their ID. Lookups that arrive together
 * share one round trip, which also says whether the remembered setup still holds.
 */
import type { Pool } from 'pg'
import { type CustomerKeyKind, customersByKey, type LoadedView } from '../../store/customers.ts'
import { askTogether } from '../../store/question.ts'
import { setupState } from '../../store/setup.ts'
import { type Tenant, tenantOf } from '../../store/tenant.ts'
import { createBatch, lookupLimits } from '../batch.ts'
import type { Setup, SetupCache } from '../organizations/setup-cache.ts'
import { timeOf } from '../organizations/time-of.ts'

export interface CustomerQuestion {
  readonly org: number
  readonly kind: CustomerKeyKind
  readonly key: string
  /** How far the clock of the organization is ahead. */
  readonly aheadMs: number
}

export interface CustomerAnswer {
  readonly view: LoadedView | undefined
  readonly setup: Setup
  readonly now: Date
}

export type ReadCustomer = (question: CustomerQuestion) => Promise<CustomerAnswer>

export function createCustomerReader(pool: Pool, setupCache: SetupCache, clock: () => Date): ReadCustomer {
  return createBatch(
    (questions: readonly CustomerQuestion[], org) =>
      readAll(tenantOf(pool, org), setupCache, questions, timeOf({ clock }, newest(questions))),
    { orgOf: ({ org }) => org, ...lookupLimits(pool) },
  )
}

/** Of lookups that arrive together, one may have been sent after the clock was set forward. */
const newest = (questions: readonly CustomerQuestion[]) => ({
  aheadMs: questions.reduce((most, { aheadMs }) => Math.max(most, aheadMs), 0),
})

/** One statement per kind of key among the lookups: usually one. */
async function readAll(
  tenant: Tenant,
  setupCache: SetupCache,
  questions: readonly CustomerQuestion[],
  now: Date,
): Promise<CustomerAnswer[]> {
  const ofKind = (kind: CustomerKeyKind) => {
    const keys = questions.flatMap((question) => (question.kind === kind ? [question.key] : []))
    return keys.length > 0 ? customersByKey(tenant, kind, keys, now) : undefined
  }
  const { state, ...found } = await askTogether(tenant, {
    id: ofKind('id'),
    email: ofKind('email'),
    barcode: ofKind('barcode'),
    phone: ofKind('phone'),
    state: setupState(tenant, []),
  })
  const setup = await setupCache.get(tenant, state.version)
  // The answers of a kind are in the order of its questions.
  return questions.map(({ kind }) => ({ view: found[kind]?.shift(), setup, now }))
}
