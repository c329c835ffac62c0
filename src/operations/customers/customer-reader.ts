/**
 * Looks up customers by what was scanned or typed at a till. Lookups that arrive together share one query.
 */
import type { Pool } from 'pg'
import { type CustomerKeyKind, type LoadedView, listCustomersByKey } from '../../store/customers.ts'
import { type Tenant, tenantOf } from '../../store/tenant.ts'
import { createBatch, lookupLimits } from '../batch.ts'

export interface CustomerQuestion {
  readonly org: number
  readonly kind: CustomerKeyKind
  readonly key: string
}

export type ReadCustomer = (question: CustomerQuestion) => Promise<LoadedView | undefined>

export function createCustomerReader(pool: Pool, clock: () => Date): ReadCustomer {
  return createBatch(
    (questions: readonly CustomerQuestion[], org) => readAll(tenantOf(pool, org), questions, clock()),
    { orgOf: ({ org }) => org, ...lookupLimits(pool) },
  )
}

/** One query per kind of key among the lookups: usually one. */
async function readAll(
  tenant: Tenant,
  questions: readonly CustomerQuestion[],
  now: Date,
): Promise<(LoadedView | undefined)[]> {
  const answers = new Map<CustomerQuestion, LoadedView | undefined>()
  for (const kind of new Set(questions.map((question) => question.kind))) {
    const group = questions.filter((question) => question.kind === kind)
    const keys = group.map(({ key }) => key)
    const views = await listCustomersByKey(tenant, kind, keys, now)
    group.forEach((question, i) => {
      answers.set(question, views[i])
    })
  }
  return questions.map((question) => answers.get(question))
}
