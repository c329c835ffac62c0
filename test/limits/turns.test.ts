import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { Refused } from '../../src/domain/refusal.ts'
import { createPresence, maxSteps } from '../../src/http/plugins/processor-share.ts'
import { createTurns, type Turns, type TurnsOptions } from '../../src/http/plugins/turns.ts'
import { createPasswords } from '../../src/operations/auth/passwords.ts'
import { createBasketQueue } from '../../src/operations/baskets/queue.ts'
import { createBatch } from '../../src/operations/batch.ts'
import { done } from '../../src/operations/wallets/attempts.ts'
import { expectRefusal } from '../support/expect-refusal.ts'
import { isFull } from '../support/full.ts'
import { startTestService, type TestService } from '../support/service.ts'
import { openShop, type Shop, tally, times } from '../support/shop.ts'

describe('turns', () => {
  const open = (options: Partial<TurnsOptions> = {}) =>
    createTurns({
      maxRunning: 4,
      share: 1,
      maxWaiting: 100,
      maxWaitMs: 60_000,
      presence: createPresence(),
      ...options,
    })

  /** Takes a turn for each party named; who was started, in order, and who was refused. */
  function record(turns: Turns) {
    const started: string[] = []
    const refused: string[] = []
    return {
      started,
      refused,
      arrive(parties: string) {
        for (const party of parties)
          turns.take(party, (no) => void (no ? refused.push(party) : started.push(party)))
      },
    }
  }

  test('one alone gets a share, and whoever comes next finds a place at once', () => {
    const turns = open()
    const { started, arrive } = record(turns)
    arrive('aaaaaa')
    expect(started.join('')).toBe('aa')
    arrive('b')
    expect(started.join('')).toBe('aab')
    expect(turns).toMatchObject({ running: 3, waiting: 4 })
  })

  test('with a larger share one alone gets more, and still not all', () => {
    const { started, arrive } = record(open({ maxRunning: 8, share: 3 }))
    arrive('aaaaaaaaaaaa')
    expect(started).toHaveLength(6)
    arrive('b')
    expect(started.at(-1)).toBe('b')
  })

  test('lines are served in turn: a hundred of one wait for themselves, not others for them', () => {
    const turns = open({ maxRunning: 2 })
    const { started, arrive } = record(turns)
    arrive(`${'a'.repeat(20)}bbcc`)
    // Whoever was started longest ago ends first.
    for (let i = 0; i < started.length; i++) turns.leave(started[i]!)
    expect(started).toHaveLength(24)
    // Of the five that begin first, no party has more than two.
    expect(started.slice(0, 5).filter((party) => party === 'a').length).toBeLessThanOrEqual(2)
    expect(started.slice(0, 8).filter((party) => party !== 'a')).toHaveLength(4)
    expect(turns).toMatchObject({ running: 0, waiting: 0 })
  })

  test('a full line is refused with 503, and another still has room in its own', () => {
    const { refused, arrive } = record(open({ maxRunning: 2, maxWaiting: 10 }))
    arrive('a'.repeat(20))
    // One in work, and half of the places in line.
    expect(refused).toHaveLength(14)
    arrive('bbbb')
    expect(refused).toHaveLength(14)
  })

  test('the places in line are never more than there are, however many come', () => {
    const turns = open({ maxRunning: 2, maxWaiting: 10 })
    const { refused, arrive } = record(turns)
    for (const party of 'abcdefghij') arrive(party.repeat(50))
    expect(turns.waiting).toBeLessThanOrEqual(10)
    expect(refused.length).toBeGreaterThan(400)
  })

  test('who has waited too long is refused, and leaves nothing behind', async () => {
    const turns = open({ maxRunning: 2, maxWaitMs: 20 })
    const { started, refused, arrive } = record(turns)
    arrive('aaab')
    while (refused.length < 2) await sleep(5)
    expect(started.join('')).toBe('ab')
    expect(turns).toMatchObject({ running: 2, waiting: 0 })
    turns.leave('a')
    turns.leave('b')
    arrive('a')
    expect(started.join('')).toBe('aba')
  })
})

describe('turns count processor time', () => {
  const open = (options: Partial<TurnsOptions> = {}) =>
    createTurns({
      maxRunning: 100,
      share: 1,
      maxWaiting: 100,
      maxWaitMs: 60_000,
      presence: createPresence(),
      ...options,
    })
  const keepBusy = (ms: number) => {
    for (const end = performance.now() + ms; performance.now() < end; );
  }

  test('what one has in work at once is bounded, and one request is always taken', () => {
    const turns = open()
    const started: string[] = []
    const arrive = (party: string, steps: number) => turns.take(party, () => void started.push(party), steps)
    for (let i = 0; i < 4; i++) arrive('a', maxSteps / 5)
    arrive('a', maxSteps)
    arrive('b', maxSteps)
    expect(started.join('')).toBe('aaaab')
    // Smaller ones stay behind it: a line keeps its order.
    arrive('a', 1)
    expect(started).toHaveLength(5)
    for (let i = 0; i < 4; i++) turns.leave('a', maxSteps / 5)
    expect(started.join('')).toBe('aaaabaa')
    arrive('a', maxSteps)
    expect(turns).toMatchObject({ running: 3, waiting: 1 })
  })

  test('after a long one the next waits as long as it took, and small ones and others do not', async () => {
    const turns = open()
    const started: string[] = []
    const arrive = (party: string, steps: number) =>
      turns.take(party, () => void started.push(`${party}${steps === 1 ? '' : '!'}`), steps)
    arrive('b', 1)
    turns.leave('b', 1)
    arrive('a', maxSteps)
    keepBusy(60)
    await nextTurn()
    turns.leave('a', maxSteps)
    const leftAt = performance.now()
    arrive('a', 1)
    arrive('b', maxSteps)
    arrive('a', maxSteps)
    expect(started).toEqual(['b', 'a!', 'a', 'b!'])
    while (started.length < 5) await sleep(1)
    expect(performance.now() - leftAt).toBeGreaterThan(50)
    expect(turns).toMatchObject({ running: 3, waiting: 0 })
  })

  test('who is alone does not wait, and who is in another lane counts as being there', async () => {
    const presence = createPresence()
    const [turns, lane] = [open({ presence }), open({ presence })]
    const started: number[] = []
    const arrive = () => turns.take('a', () => void started.push(started.length), maxSteps)
    const work = async () => {
      keepBusy(30)
      await nextTurn()
      turns.leave('a', maxSteps)
    }
    arrive()
    arrive()
    await work()
    expect(started).toHaveLength(2)
    lane.take('b', () => {})
    arrive()
    await work()
    expect(started).toHaveLength(2)
    while (started.length < 3) await sleep(1)
  })
})

describe('every queue is bounded', () => {
  const isUnavailable = (error: unknown) => error instanceof Refused && error.code === '_unavailable'
  const refusedOf = (results: PromiseSettledResult<unknown>[]) =>
    results.filter((result) => result.status === 'rejected' && isUnavailable(result.reason)).length

  test('previews, look-ups and organizations', async () => {
    let release = () => {}
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    const ask = createBatch(
      async (questions: readonly number[]) => {
        await held
        return questions
      },
      { maxRunning: 1, maxBatch: 2, maxWaiting: 5 },
    )
    const first = [ask(1), ask(2)]
    await nextTurn()
    const rest = Promise.allSettled(times(10, ask))
    await nextTurn()
    release()
    expect(await Promise.all(first)).toEqual([1, 2])
    expect(refusedOf(await rest)).toBe(5)
  })

  test('passwords', async () => {
    let release = () => {}
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    const { inTurn } = createPasswords('pepper', 1)
    let begun = 0
    const work = async () => {
      begun++
      await held
    }
    const first = [inTurn(work), inTurn(work)]
    await nextTurn()
    const rest = Promise.allSettled(times(110, () => inTurn(work)))
    await nextTurn()
    expect(begun).toBe(2)
    release()
    await Promise.all(first)
    expect(refusedOf(await rest)).toBe(10)
    expect(begun).toBe(102)
  })

  test('baskets', async () => {
    let release = () => {}
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    const groups = createBasketQueue<number, number>({
      async run(_org, jobs) {
        await held
        return jobs.map(done)
      },
      writersOfOne: 1,
      writers: 1,
      maxGroup: 2,
      maxWaiting: 5,
      maxWaitMs: 10_000,
      keysOf: () => [],
    })
    const answers = times(10, (i) => groups.submit(1, `cus_${i}`, i))
    release()
    expect(refusedOf(await Promise.allSettled(answers))).toBe(5)
    expect(groups.size).toBe(0)
  })

  test('a basket that has waited too long is not begun, and those behind it are', async () => {
    let release = () => {}
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    const begun: number[] = []
    const groups = createBasketQueue<number, number>({
      async run(_org, jobs) {
        begun.push(...jobs)
        await held
        return jobs.map(done)
      },
      writersOfOne: 1,
      writers: 1,
      maxGroup: 1,
      maxWaiting: 5,
      maxWaitMs: 40,
      keysOf: () => [],
    })
    const time = vi.spyOn(performance, 'now').mockReturnValue(0)
    onTestFinished(() => time.mockRestore())
    const first = groups.submit(1, 'cus_1', 1)
    const late = [groups.submit(1, 'cus_1', 2), groups.submit(1, 'cus_2', 3)]
    time.mockReturnValue(41)
    const fresh = groups.submit(1, 'cus_1', 4)
    release()
    expect(await first).toBe(1)
    expect(refusedOf(await Promise.allSettled(late))).toBe(2)
    expect(await fresh).toBe(4)
    expect(begun).toEqual([1, 4])
    expect(groups.size).toBe(0)
  })
})

describe('in the service', () => {
  let service: TestService
  let busy: Shop
  let quiet: Shop
  let campaigns: string[]
  beforeAll(async () => {
    service = await startTestService()
    ;[busy, quiet] = [await openShop(service), await openShop(service)]
    campaigns = [await busy.merchant.publishCampaign(), await quiet.merchant.publishCampaign()]
  })
  afterAll(() => service.close())

  const register = (shop: Shop) =>
    shop.call('POST', '/v1/customers/register', {
      campaignId: campaigns[shop === busy ? 0 : 1],
      customer: { data: {} },
    })

  /** Nobody can write customers until the returned function is called. */
  async function holdCustomers(): Promise<() => Promise<void>> {
    const holder = await service.database.pool.connect()
    await holder.query(
      'BEGIN; SET LOCAL idle_in_transaction_session_timeout = 0; LOCK TABLE customers IN SHARE MODE',
    )
    return async () => {
      await holder.query('ROLLBACK')
      holder.release()
    }
  }

  test('one call of a quiet organization is not behind two hundred of a busy one', async () => {
    const order: string[] = []
    const note = (name: string) => () => void order.push(name)
    const release = await holdCustomers()
    const flood = times(200, () => register(busy).then(note('busy')))
    await sleep(500)
    const single = register(quiet).then(note('quiet'))
    await sleep(200)
    expect(order).toEqual([])
    await release()
    await Promise.all([...flood, single])
    // It found a place of its own, next to those that were in work already.
    expect(order.indexOf('quiet')).toBeLessThan(20)
  })

  test('large baskets of one run one at a time, and a sale of another does not wait for them', async () => {
    const rules = times(1000, () => ({
      kind: 'collect_per_item',
      balance: 'b',
      amount: 1,
      categories: ['c'],
    }))
    const wide = await busy.publish({ name: 'Wide', balances: [{ key: 'b' }], rules })
    const person = await busy.register(wide)
    const own = await quiet.register(campaigns[1]!)
    const items = times(500, () => ({ product: 'p', category: 'c', unitPrice: 1 }))
    await busy.process(person, { items })
    const order: string[] = []
    const flood = times(16, () => busy.process(person, { items }).then(() => void order.push('busy')))
    const sale = quiet.process(own).then(() => void order.push('quiet'))
    await Promise.all([...flood, sale])
    expect(order.indexOf('quiet')).toBeLessThan(4)
    const { rows } = await service.database.pool.query(
      'SELECT count(*)::integer AS sales FROM transactions WHERE customer_id = $1',
      [person.customer.slice('cus_'.length)],
    )
    expect(rows[0].sales).toBe(17)
  })

  test('reads, previews and look-ups of the quiet one are answered while the busy one waits', async () => {
    const person = await quiet.register(campaigns[1]!)
    const release = await holdCustomers()
    const flood = times(100, () => register(busy))
    await sleep(300)
    const replies = await Promise.all([
      quiet.call('GET', '/v1/transactions'),
      quiet.call('GET', '/v1/customers/find?q=nobody@example.com'),
      quiet.call('POST', '/v1/transactions/validate', person),
      quiet.call('POST', '/v1/transactions/process', person),
    ])
    expect(replies.map(({ status }) => status)).toEqual([200, 404, 200, 201])
    await release()
    expect(tally(await Promise.all(flood))).toEqual({ 201: 100 })
  })

  const floods = [
    ['baskets', 'POST', '/v1/transactions/process'],
    ['previews', 'POST', '/v1/transactions/validate'],
    ['look-ups', 'GET', '/v1/customers/find?q=nobody@example.com'],
  ] as const
  test.each(isFull ? floods : floods.slice(0, 1))(
    '%s: one of the quiet one passes most of two thousand of the busy one',
    async (_what, method, path) => {
      const people = await Promise.all(times(20, () => busy.register(campaigns[0]!)))
      const own = await quiet.register(campaigns[1]!)
      const order: string[] = []
      const send = (shop: Shop, who: object) =>
        shop.call(method, path, method === 'POST' ? who : undefined).then(({ status }) => {
          expect([200, 201, 404]).toContain(status)
          order.push(shop === busy ? 'busy' : 'quiet')
        })
      const flood = times(2_000, (i) => send(busy, people[i % people.length]!))
      const single = send(quiet, own)
      await Promise.all([...flood, single])
      // Half a thousand of the busy one may be in work when it comes; the other three halves wait behind it.
      expect(order.indexOf('quiet')).toBeLessThan(1_000)
    },
  )

  test('when the line of one is full it gets 503 with Retry-After, and the other is served', async () => {
    const nobody = `/v1/customers/cus_${'0'.repeat(32)}/adjustments`
    const release = await holdCustomers()
    // The first of them hold the places; those in line behind them have little to do once it is their turn.
    const flood = times(2_700, (i) =>
      i < 20 ? register(busy) : busy.call('POST', nobody, { key: 'points', amount: 1, reason: 'flood' }),
    )
    const first = await Promise.race(flood)
    expectRefusal(first, 503, '_unavailable', /waiting/)
    expect(first.headers['retry-after']).toBe('1')
    expect((await quiet.call('GET', '/v1/transactions')).status).toBe(200)
    await release()
    const answers = tally(await Promise.all(flood))
    // Half of the eight places, half of the five thousand in line; a few more when one is free in between.
    expect(answers['503 _unavailable']).toBeGreaterThan(150)
    expect(answers[201]).toBe(20)
    expect(answers['503 _unavailable']! + answers['404 customer_not_found']!).toBe(2_680)
  })
})
