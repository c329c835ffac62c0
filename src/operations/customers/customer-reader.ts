/**
 * Looks up customers by what was scanned or typed at a till. Lookups that arrive together share one query.
 */
import type { Pool } from 'pg'
import { type CustomerKeyKind, type LoadedView, listCustomersByKey } from '../../store/customers.ts'
import { tenantOf } from '../../store/tenant.ts'
import { createBatch } from '../batch.ts'

export interface CustomerQuestion {
  readonly org: number
  readonly kind: CustomerKeyKind
  readonly key: string
}

export type ReadCustomer = (question: CustomerQuestion) => Promise<LoadedView | undefined>

export function createCustomerReader(pool: Pool, clock: () => Date): ReadCustomer {
  return createBatch((questions: readonly CustomerQuestion[]) => readAll(pool, questions, clock()), {
    maxRunning: 2,
    maxBatch: 128,
    maxWaiting: 5_000,
  })
}

/** One query per organization and kind of key among the lookups: usually one. */
async function readAll(
  pool: Pool,
  questions: readonly CustomerQuestion[],
  now: Date,
): Promise<(LoadedView | undefined)[]> {
  const groups = new Map<string, CustomerQuestion[]>()
  for (const question of questions) {
    const name = `${question.org} ${question.kind}`
    groups.set(name, [...(groups.get(name) ?? []), question])
  }
  const answers = new Map<CustomerQuestion, LoadedView | undefined>()
  for (const group of groups.values()) {
    const { org, kind } = group[0]!
    const keys = group.map(({ key }) => key)
    const views = await listCustomersByKey(tenantOf(pool, org), kind, keys, now)
    group.forEach((question, i) => {
      answers.set(question, views[i])
    })
  }
  return questions.map((question) => answers.get(question))
}
