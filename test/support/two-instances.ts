import { audit } from './audit.ts'
import {
  type Merchant,
  productionLimits,
  type Registered,
  type Reply,
  startTestService,
  type TestService,
} from './service.ts'

/** Two instances of the service on one database, as in production. */
export interface TwoInstances {
  readonly service: TestService
  readonly second: TestService
  readonly merchant: Merchant
  /**
   * Sends a request with the merchant's token to the two instances alternately, so that every storm hits
   * both.
   */
  readonly call: Merchant['call']
  pay(who: Registered, basket?: object, headers?: Record<string, string>): Promise<Reply>
  /** Adjusts a balance. */
  give(who: Registered, amount: number, key?: string): Promise<Reply>
  issueCoupon(who: Registered, campaign: string, reward: string): Promise<string>
  // biome-ignore lint/suspicious/noExplicitAny: tests read responses the way a client would.
  view(who: Registered): Promise<any>
  countTransactions(who: Registered): Promise<number>
  /**
   * What the work changed in the database: rows by table, and how far versions and running sums have moved.
   */
  traceOf(act: () => Promise<unknown>): Promise<Record<string, number>>
  /** Violations of what must hold after any storm, found by the audit and by the service itself. */
  problems(): Promise<unknown[]>
  close(): Promise<void>
}

export async function startTwoInstances(): Promise<TwoInstances> {
  const service = await startTestService(productionLimits)
  const second = await startTestService({ ...productionLimits, sharing: service })
  const merchant = await service.createMerchant()
  let turn = 0
  const call: Merchant['call'] = (method, path, body, headers) =>
    (turn++ % 2 ? second : service).call(method, path, { token: merchant.token, body, headers })
  return {
    service,
    second,
    merchant,
    call,
    pay: ({ customer, card }, basket = {}, headers) =>
      call('POST', '/v1/transactions/process', { customer, card, ...basket }, headers),
    give: ({ customer }, amount, key = 'points') =>
      call('POST', `/v1/customers/${customer}/adjustments`, { key, amount, reason: 'test' }),
    issueCoupon: async ({ customer }, campaign, reward) =>
      (await call('POST', '/v1/coupons', { customer, campaign, reward })).body.id,
    view: async ({ customer }) => (await call('GET', `/v1/customers/${customer}`)).body,
    async countTransactions({ customer }) {
      const { rows } = await service.database.pool.query(
        'SELECT count(*)::int AS n FROM transactions WHERE customer_id = $1',
        [customer.slice(4)],
      )
      return rows[0].n
    },
    async traceOf(act) {
      const before = await measure(service)
      await act()
      const after = await measure(service)
      return Object.fromEntries(Object.keys(after).map((what) => [what, after[what]! - before[what]!]))
    },
    async problems() {
      const { status, body } = await call('GET', '/v1/integrity')
      const ownView = status === 200 && body.ok ? [] : [body]
      const { rows } = await service.database.pool.query(
        `SELECT 'deadlocks' AS what, deadlocks FROM pg_stat_database
         WHERE datname = current_database() AND deadlocks > 0`,
      )
      return [...(await audit(service.database.pool)), ...ownView, ...rows]
    },
    async close() {
      await second.close()
      await service.close()
    },
  }
}

async function measure({ database: { pool } }: TestService): Promise<Record<string, number>> {
  const { rows: tables } = await pool.query(
    "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'",
  )
  // A day's sum is in one of several rows at random, so the number of its rows means nothing.
  const counts = tables
    .filter(({ name }) => name !== 'daily_sums')
    .map(({ name }) => `(SELECT count(*)::int FROM ${name}) AS ${name}`)
  const { rows } = await pool.query(
    `SELECT ${counts.join(', ')}, (SELECT sum(amount)::int FROM daily_sums) AS sums,
       (SELECT sum(version)::int FROM wallets) AS versions`,
  )
  return rows[0]
}

/** Runs the work this many times concurrently. */
export const many = <T>(count: number, make: (i: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, i) => make(i)))

export const split = (replies: readonly Reply[]) => ({
  done: replies.filter((reply) => reply.status === 201),
  refused: replies.filter((reply) => reply.status !== 201),
})
