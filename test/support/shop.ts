import type { Id } from '../../src/domain/ids.ts'
import { uuidOf } from '../../src/store/tenant.ts'
import { audit } from './audit.ts'
import type { Merchant, MerchantOptions, Method, Reply, TestService } from './service.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests read responses the way a client would.
export type Body = any

export interface Person {
  readonly customer: string
  readonly card: string
}

/** A merchant whose token follows the test's clock, and the requests that its tills and managers make. */
export interface Shop {
  readonly merchant: Merchant
  /** `on` is another instance of the service on the same database. */
  call(method: Method, path: string, body?: unknown, options?: CallOptions): Promise<Reply>
  /** Sends a request that must succeed; any other status fails the test and shows the response. */
  get(path: string): Promise<Body>
  post(path: string, body?: unknown, options?: CallOptions): Promise<Body>
  publish(definition: object): Promise<string>
  /** Changes the draft of a campaign and publishes it. */
  republish(campaign: string, patch: object): Promise<Body>
  register(campaign: string, customer?: string): Promise<Person>
  process(person: Person, basket?: object, options?: CallOptions): Promise<Body>
  refused(person: Person, basket?: object): Promise<string>
  giveBack(sale: { id: string }, body?: object): Promise<Body>
  adjust(person: Person, key: string, amount: number): Promise<Body>
  view(person: Person): Promise<Body>
  /** A customer's balance: the value usable now, and the total ever collected. */
  balance(person: Person, key?: string): Promise<{ value: number; total: number }>
  ledger(person: Person): Promise<Body[]>
  coupon(id: string): Promise<Body>
  integrity(): Promise<Body>
  events(type: string, person: Person): Promise<Body[]>
}

export interface CallOptions {
  headers?: Record<string, string>
  on?: TestService
}

const tokenUsableMs = 3_000_000

export async function openShop(service: TestService, options: MerchantOptions = {}): Promise<Shop> {
  const merchant = await service.createMerchant(options)
  const clock = () => service.deps.clock().getTime()
  let token = Promise.resolve(merchant.token)
  let issuedAt = clock()

  /** A token that is valid at the time the test has set. */
  function currentToken(): Promise<string> {
    if (clock() >= issuedAt && clock() < issuedAt + tokenUsableMs) return token
    issuedAt = clock()
    const headers = { 'x-api-key': merchant.apiKey, 'x-api-secret': merchant.apiSecret }
    token = service.call('POST', '/auth/token', { headers }).then(({ body }) => body.accessToken)
    return token
  }

  const call: Shop['call'] = async (method, path, body, { headers, on = service } = {}) =>
    on.call(method, path, { body, headers, token: await currentToken() })

  const get: Shop['get'] = async (path) => succeed(await call('GET', path))
  const post: Shop['post'] = async (path, body, more) => succeed(await call('POST', path, body, more))

  const shop: Shop = {
    merchant,
    call,
    get,
    post,
    async publish(definition) {
      const { id } = await post('/v1/campaigns', definition)
      await post(`/v1/campaigns/${id}/publish`)
      return id
    },
    async republish(campaign, patch) {
      succeed(await call('PATCH', `/v1/campaigns/${campaign}`, patch))
      return post(`/v1/campaigns/${campaign}/publish`)
    },
    async register(campaignId, customer) {
      const body = await post('/v1/customers/register', {
        campaignId,
        customer: customer === undefined ? { data: {} } : { id: customer },
      })
      return { customer: body.id, card: body.cards[0].id }
    },
    process: ({ customer, card }, basket = {}, more = {}) =>
      post('/v1/transactions/process', { customer, card, ...basket }, more),
    async refused({ customer, card }, basket = {}) {
      const reply = await call('POST', '/v1/transactions/process', { customer, card, ...basket })
      if (reply.status !== 400) throw new Error(`not refused: ${reply.status} ${reply.text}`)
      return reply.body.message
    },
    giveBack: ({ id }, body = {}) => post(`/v1/transactions/${id}/return`, body),
    adjust: ({ customer }, key, amount) =>
      post(`/v1/customers/${customer}/adjustments`, { key, amount, reason: 'test' }),
    view: ({ customer }) => get(`/v1/customers/${customer}`),
    balance: async (person, key = 'points') => (await shop.view(person)).collectables[key],
    ledger: async ({ customer }) => (await get(`/v1/customers/${customer}/ledger?limit=100`)).data.reverse(),
    coupon: (id) => get(`/v1/coupons/${id}`),
    integrity: () => get('/v1/integrity'),
    async events(type, { customer }) {
      const { rows } = await service.database.pool.query(
        `SELECT data FROM events WHERE type = $1 AND data ->> 'customer' = $2 ORDER BY position, id`,
        [type, customer],
      )
      return rows.map((row) => row.data)
    },
  }
  return shop
}

function succeed(reply: Reply): Body {
  if (reply.status !== 200 && reply.status !== 201) {
    throw new Error(`${reply.method} ${reply.path}: ${reply.status} ${reply.text}`)
  }
  return reply.body
}

/**
 * A customer whose card was opened at one time, and a clock that shows another: sales of the time in between
 * can be sent late.
 */
export async function registerEarlier(
  service: TestService,
  { opened, now }: { readonly opened: string; readonly now: string },
  register: () => Promise<Person>,
): Promise<Person> {
  service.setTime(new Date(opened))
  const person = await register()
  service.setTime(new Date(now))
  return person
}

/** What each rule gave in a basket, by rule id. */
export function collected(sale: Body): Record<string, number> {
  const given: Record<string, number> = {}
  for (const action of sale.executedActions.actions) {
    if (action.type === 'collect') given[action.rule] = (given[action.rule] ?? 0) + action.amount
  }
  return given
}

/** Why rules gave nothing in a basket, by rule id. */
export function skipped(sale: Body): Record<string, string> {
  return Object.fromEntries(
    sale.executedActions.skipped.map((skip: { rule: string; reason: string }) => [skip.rule, skip.reason]),
  )
}

/** Ids of the coupons that a basket granted. */
export function granted(sale: Body): string[] {
  return sale.executedActions.coupons.map((coupon: { id: string }) => coupon.id)
}

/**
 * Everything the database stores about what a customer holds, except versions, history (a returned visit was one)
 * and what is used up.
 */
export async function holdings(service: TestService, { customer }: Person): Promise<object> {
  const id = uuidOf(customer as Id)
  const rows = async (sql: string) => (await service.database.pool.query(sql, [id])).rows
  return {
    balances: await rows('SELECT key, value, total FROM balances WHERE customer_id = $1 ORDER BY key'),
    lots: await rows(
      `SELECT key, expires_at, sum(remaining)::int AS remaining FROM lots
       WHERE customer_id = $1 AND remaining > 0 GROUP BY key, expires_at ORDER BY key, expires_at`,
    ),
    coupons: await rows(
      `SELECT id, status, expires_at FROM coupons WHERE customer_id = $1 AND status <> 5 ORDER BY id`,
    ),
    kept: await rows('SELECT key, at, reward, multiple FROM kept_multiples WHERE customer_id = $1'),
    usage: await rows(
      `SELECT rule_id, day::text, used FROM customer_rule_usage WHERE customer_id = $1 AND used <> 0
       ORDER BY rule_id, day`,
    ),
  }
}

/** How often each response occurred, by status and refusal code. */
export function tally(replies: readonly Reply[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { status, body } of replies) {
    const answer = status < 400 ? String(status) : `${status} ${body.message}`
    counts[answer] = (counts[answer] ?? 0) + 1
  }
  return counts
}

export const times = <T>(count: number, make: (i: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => make(i))

/** The audit of the service's own database. */
export const auditWithReturns = ({ database }: TestService): Promise<string[]> => audit(database.pool)
