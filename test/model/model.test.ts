/**
 * Random calls against a model: after each of them the service says what the model says, in balances, coupons and
 * error codes. A failure prints the shortest list of calls that fails, and its seed. `TEST_SEED=… npx vitest run
 * test/model` has it again, and `TEST_EFFORT=20` tries twenty times as much.
 */
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runRound } from '../../src/jobs/run-jobs.ts'
import { effort } from '../support/full.ts'
import {
  type Method,
  nearNoon,
  productionLimits,
  startTestService,
  type TestService,
} from '../support/service.ts'
import { auditWithReturns, type Body, openShop, type Shop } from '../support/shop.ts'
import type { CardName, Key, RewardKey } from './baskets.ts'
import { bar, club, guest } from './campaigns.ts'
import type { Basket, Sale } from './model.ts'
import { Run } from './run.ts'

const seed = Number(process.env.TEST_SEED ?? Date.now() % 2 ** 31)
const dayMs = 86_400_000

let service: TestService
let second: TestService
let shop: Shop
const campaigns = {} as Record<CardName, string>
let customers = 0
let receipts = 0
const happened: Record<string, number> = {}
beforeAll(async () => {
  service = await startTestService(productionLimits)
  second = await startTestService({ ...productionLimits, sharing: service })
  // At noon, so that the days of the model are the days of the organization.
  for (const one of [service, second]) one.setTime(nearNoon())
  shop = await openShop(service, { timezone: 'UTC', currency: 'EUR' })
  campaigns.club = await shop.publish(club)
  campaigns.guest = await shop.publish(guest)
  campaigns.bar = await shop.publish(bar)
  console.log(`model: TEST_SEED=${seed}`)
})
afterAll(async () => {
  console.log('model:', JSON.stringify(happened))
  expect(await auditWithReturns(service)).toEqual([])
  expect(await shop.integrity()).toMatchObject({ ok: true, problems: [] })
  await second.close()
  await service.close()
})

let turn = 0
/** To one instance of the service and the other by turns: no call may rest on what an instance remembers. */
const call = (method: Method, path: string, body: object) =>
  shop.call(method, path, body, { on: turn++ % 2 ? second : service })

interface Op {
  readonly name: string
  run(run: Run): Promise<void>
}
const nobody = (kind: string) => `${kind}_${'0'.repeat(32)}`
const at = <T>(list: readonly T[], index: number): T | undefined => list[index % Math.max(1, list.length)]
const op = <T>(
  name: string,
  how: fc.Arbitrary<T>,
  run: (run: Run, how: T) => Promise<void>,
): fc.Arbitrary<Op> =>
  how.map((way) => ({
    name: `${name} ${JSON.stringify(way)}`,
    run: (on) => run(on, way),
    toString: () => `${name} ${JSON.stringify(way)}`,
  }))

const card = fc.constantFrom<CardName>('club', 'club', 'club', 'guest', 'bar', 'bar')
const line = fc.record({
  product: fc.constantFrom('latte', 'latte', 'bun'),
  quantity: fc.integer({ min: 1, max: 4 }),
  cents: fc.integer({ min: 1, max: 2_500 }),
})

const buy = op(
  'buy',
  fc.record({
    card,
    lines: fc.array(line, { minLength: 1, maxLength: 3 }),
    discount: fc.constantFrom(0, 0, 1, 150, 9_999),
    included: fc.constantFrom(undefined, undefined, undefined, true, false),
    points: fc.constantFrom(0, 7, 10, 13, 25),
    quarters: fc.constantFrom(0, 0, 0, 0, 1, 3, 4),
    coupons: fc.array(fc.nat(30), { maxLength: 2 }),
    isRare: fc.integer({ min: 0, max: 5 }),
  }),
  async (run, { card: wanted, points, quarters, coupons, isRare, ...order }) => {
    const { model } = run
    // Most baskets are good: on a card that exists, with coupons and points that are there.
    const card = isRare === 0 || run.cards[wanted] ? wanted : 'club'
    const good = model.coupons.filter((coupon) => model.statusOf(coupon) === 'active')
    const from = isRare === 0 ? [...model.coupons, undefined] : good
    const found = from.length === 0 ? [] : coupons.map((index) => at(from, index))
    const named = isRare === 0 ? found : [...new Set(found)]
    const basket: Basket = {
      ...order,
      points: isRare === 0 ? points : Math.floor((model.spendable(card) * quarters) / 4),
      coupons: named,
    }
    const body = {
      customer: run.customer,
      card: run.cards[card] ?? nobody('card'),
      opaqueId: `model-${receipts++}`,
      items: order.lines.map(({ cents, ...one }) => ({ ...one, amount: cents / 100 })),
      discountAmount: order.discount / 100,
      couponsIncluded: order.included,
      pointsToSpend: basket.points,
      reward: named.map((item) => (item ? run.coupons.get(item)! : nobody('cpn'))),
    }
    const preview = await call('POST', '/v1/transactions/validate', body)
    const reply = await call('POST', '/v1/transactions/process', body)
    const sale = model.process(card, basket)
    const refusal = typeof sale === 'string' ? sale : undefined
    const previewed = await run.expectAnswer(preview, refusal)
    const done = await run.expectAnswer(reply, refusal)
    if (typeof sale === 'string') return
    expect(previewed.executedActions.collectables).toEqual(done.executedActions.collectables)
    const { price, worth } = sale
    const amount = order.lines.reduce((cents, one) => cents + one.cents, 0)
    const totals = {
      amount,
      discounts: amount - price.due - price.coupons,
      coupons: price.coupons,
      points: worth,
      due: price.due - worth,
    }
    const inCents = Object.entries(done.totals).map(([name, value]) => [
      name,
      Math.round(Number(value) * 100),
    ])
    expect(Object.fromEntries(inCents)).toEqual(totals)
    expect(previewed.totals).toEqual(done.totals)
    // Coupons of one threshold come in their order; the thresholds of two balances in any.
    const byReward = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)
    const told: Body[] = done.executedActions.coupons.toSorted((a: Body, b: Body) =>
      byReward(a.reward.key, b.reward.key),
    )
    const granted = sale.granted.toSorted((a, b) => byReward(a.reward, b.reward))
    expect(told.map((event) => event.reward.key)).toEqual(granted.map((coupon) => coupon.reward))
    for (const [i, one] of granted.entries()) run.coupons.set(one, told[i].id)
    const progress: Body[] = done.executedActions.progress
    expect(progress.toSorted((a, b) => byReward(a.reward, b.reward))).toEqual(
      sale.progress.toSorted((a, b) => byReward(a.reward, b.reward)),
    )
    run.sales.set(sale, done.id)
    run.lastSale = { body, reply: done }
  },
)

const repeat = op('repeat the last sale', fc.constant(0), async (run) => {
  if (!run.lastSale) return
  const reply = await call('POST', '/v1/transactions/process', run.lastSale.body)
  expect(await run.expectAnswer(reply, undefined)).toEqual(run.lastSale.reply)
})

const giveBack = op(
  'give back',
  fc.record({
    sale: fc.nat(),
    items: fc.option(
      fc.array(fc.tuple(fc.nat(2), fc.integer({ min: 1, max: 3 })), { minLength: 1, maxLength: 2 }),
    ),
    isRare: fc.integer({ min: 0, max: 7 }),
  }),
  async (run, { sale: index, items, isRare }) => {
    // Most returns ask for what is there.
    const { sales } = run.model
    const open = isRare === 0 ? sales : sales.filter(({ left }) => left.some((quantity) => quantity > 0))
    const sale = at(open, index)
    if (!sale) return
    const lines = [...sale.left.keys()].filter((i) => isRare === 0 || sale.left[i]! > 0)
    const wanted =
      items &&
      new Map(
        items.map(([i, quantity]) => {
          const line = at(lines, i)!
          return [line, isRare === 0 ? quantity : Math.min(quantity, sale.left[line]!)]
        }),
      )
    await returnSale(run, sale, wanted ?? undefined)
  },
)

/** What returns owe each other shows when many of them follow one another: all that is left, in any order. */
const giveAllBack = op(
  'give all back',
  fc.array(fc.tuple(fc.nat(), fc.boolean()), { minLength: 1, maxLength: 8 }),
  async (run, turns) => {
    const isOpen = ({ left }: Sale) => left.some((quantity) => quantity > 0)
    for (let i = 0; run.model.sales.some(isOpen); i++) {
      const [index, isWhole] = at(turns, i)!
      // A sale that is refused is no obstacle for the others, and after so many turns it never is accepted.
      if (i > 3 * run.model.sales.length) return
      const sale = at(run.model.sales.filter(isOpen), index + i)!
      const first = sale.left.findIndex((quantity) => quantity > 0)
      await returnSale(run, sale, isWhole ? undefined : new Map([[first, sale.left[first]!]]))
      await run.expectSameWallet()
    }
  },
)

async function returnSale(run: Run, sale: Sale, items?: ReadonlyMap<number, number>): Promise<void> {
  const body = items ? { items: [...items].map(([i, quantity]) => ({ id: String(i + 1), quantity })) } : {}
  const reply = await call('POST', `/v1/transactions/${run.sales.get(sale)}/return`, body)
  run.model.expire()
  const before = run.snapshot()
  const outcome = run.model.giveBack(sale, items)
  const done = await run.expectAnswer(reply, typeof outcome === 'string' ? outcome : undefined)
  if (typeof outcome !== 'string') run.expectReturn(done, outcome, before)
}

const adjust = op(
  'adjust',
  fc.record({
    key: fc.constantFrom<Key>('points', 'stamps', 'miles'),
    amount: fc.constantFrom(-40, -6, -1, 1, 4, 30),
  }),
  async (run, { key, amount }) => {
    const body = { key, amount, reason: 'model' }
    const reply = await call('POST', `/v1/customers/${run.customer}/adjustments`, body)
    await run.expectAnswer(reply, run.model.adjust(key, amount))
  },
)

const wait = op(
  'wait',
  fc.record({ days: fc.constantFrom(0, 1, 4, 6, 11, 20), job: fc.boolean() }),
  async (run, { days, job }) => {
    for (const one of [service, second]) one.advance(days * dayMs)
    run.model.day += days
    if (job) await runRound(service.deps)
  },
)

const register = op(
  'register',
  fc.record({ card, how: fc.constantFrom('id', 'id', 'phone', 'nowhere') }),
  async (run, { card, how }) => {
    if (how === 'id') return registerInto(run, card)
    const customer = how === 'phone' ? { data: { phone: run.phone } } : { id: run.customer }
    const campaignId = how === 'phone' ? campaigns[card] : nobody('cmp')
    const reply = await call('POST', '/v1/customers/register', { campaignId, customer })
    await run.expectAnswer(reply, how === 'phone' ? 'existing_customer_with_phone' : 'invalid_campaign')
  },
)

async function registerInto(run: Run, card: CardName): Promise<void> {
  const body = { campaignId: campaigns[card], customer: { id: run.customer } }
  const reply = await call('POST', '/v1/customers/register', body)
  const isNew = run.model.cards[card] === undefined
  const isRefused = isNew && run.model.isBlocked
  const { cards } = await run.expectAnswer(reply, isRefused ? 'customer_not_active' : undefined)
  if (isRefused) return
  if (isNew) run.cards[card] = cards[0].id
  expect(cards.map(({ id }: Body) => id)).toEqual([run.cards[card]])
  run.model.cards[card] ??= 'active'
}

const block = op(
  'block',
  fc.record({ card: fc.option(card), to: fc.constantFrom('block', 'unblock', 'unblock', 'unblock') }),
  async (run, { card, to }) => {
    const path = card ? `/v1/cards/${run.cards[card] ?? nobody('card')}` : `/v1/customers/${run.customer}`
    const reply = await call('POST', `${path}/${to}`, {})
    await run.expectAnswer(reply, card && !run.cards[card] ? 'card_not_found' : undefined)
    if (!card) run.model.isBlocked = to === 'block'
    else if (run.cards[card]) run.model.cards[card] = to === 'block' ? 'blocked' : 'active'
  },
)

const replace = op('replace', card, async (run, name) => {
  const reply = await call('POST', `/v1/cards/${run.cards[name] ?? nobody('card')}/replace`, {})
  const done = await run.expectAnswer(reply, run.cards[name] ? undefined : 'card_not_found')
  if (!run.cards[name]) return
  run.cards[name] = done.id
  run.model.cards[name] = 'active'
})

const issue = op('issue', fc.constantFrom<RewardKey>('free', 'five', 'two', 'snack'), async (run, reward) => {
  const campaign = campaigns[reward === 'two' ? 'guest' : reward === 'snack' ? 'bar' : 'club']
  const reply = await call('POST', '/v1/coupons', { customer: run.customer, campaign, reward })
  const done = await run.expectAnswer(reply, run.model.isBlocked ? 'customer_not_active' : undefined)
  if (!run.model.isBlocked) run.coupons.set(run.model.issue(reward), done.id)
})

const revoke = op('revoke', fc.nat(), async (run, index) => {
  const coupon = at(run.model.coupons, index)
  const reply = await call(
    'POST',
    `/v1/coupons/${coupon ? run.coupons.get(coupon) : nobody('cpn')}/revoke`,
    {},
  )
  const status = coupon && run.model.statusOf(coupon)
  const refusals = {
    redeemed: 'coupon_already_redeemed',
    expired: 'coupon_expired',
    revoked: 'coupon_revoked',
  }
  await run.expectAnswer(
    reply,
    !status ? 'coupon_not_found' : status === 'active' ? undefined : refusals[status],
  )
  if (status === 'active') coupon!.status = 'revoked'
})

const ops = fc.oneof(
  { weight: 14, arbitrary: buy },
  { weight: 1, arbitrary: repeat },
  { weight: 7, arbitrary: giveBack },
  { weight: 2, arbitrary: giveAllBack },
  { weight: 3, arbitrary: adjust },
  { weight: 4, arbitrary: wait },
  { weight: 2, arbitrary: register },
  { weight: 1, arbitrary: block },
  { weight: 1, arbitrary: replace },
  { weight: 1, arbitrary: issue },
  { weight: 1, arbitrary: revoke },
)

test('whatever is called in whatever order, the service says what the model says', {
  timeout: 600_000 * effort,
}, async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(ops, { minLength: 1, maxLength: 60, size: 'max' }),
      fc.nat(3),
      async (steps, cards) => {
        const phone = `+1202555${String(1_000 + customers++).padStart(4, '0')}`
        const body = { campaignId: campaigns.club, customer: { data: { phone } } }
        const registered = await shop.post('/v1/customers/register', body)
        const run = new Run(shop, happened, registered.id, phone)
        run.cards.club = registered.cards[0].id
        run.model.cards.club = 'active'
        if (cards > 0) await registerInto(run, 'guest')
        if (cards > 1) await registerInto(run, 'bar')
        for (const step of steps) {
          await step.run(run)
          await run.expectSameWallet()
        }
      },
    ),
    // Shortening what failed ends with the time as well, and shows the shortest until then.
    { seed, numRuns: 14 * effort, interruptAfterTimeLimit: 120_000 * effort },
  )
  // Otherwise the calls got nowhere and the comparison says little.
  expect(happened['/v1/transactions/process done']).toBeGreaterThan(20 * effort)
  expect(happened['/v1/transactions/*/return done']).toBeGreaterThan(5 * effort)
  expect(happened['coupon active to revoked by a return']).toBeGreaterThan(5 * effort)
  expect(happened['coupon redeemed to active by a return']).toBeGreaterThan(0)
})
