/** Organizations side by side: each has its own few groups and batches, and all take turns. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, test, vi } from 'vitest'
import { createBasketQueue } from '../../src/operations/baskets/queue.ts'
import { createBatch } from '../../src/operations/batch.ts'
import { done } from '../../src/operations/wallets/attempts.ts'
import { times } from '../support/shop.ts'

/** Work that ends when a test says so; `begun` has the organization of each piece, in order. */
function heldWork() {
  const begun: number[] = []
  const held: { readonly org: number; readonly release: () => void }[] = []
  async function end(at: number) {
    held.splice(at, 1)[0]!.release()
    await nextTurn()
    await nextTurn()
  }
  return {
    begun,
    begin(org: number) {
      begun.push(org)
      return new Promise<void>((release) => held.push({ org, release }))
    },
    /** Ends the piece that began first. */
    endFirst: () => end(0),
    endOf: (org: number) => end(held.findIndex((piece) => piece.org === org)),
  }
}

describe('batches', () => {
  const open = (limits: { maxRunning: number; maxRunningInAll: number; isShared?: boolean }) => {
    const { begin, ...work } = heldWork()
    const ask = createBatch(
      async (questions: readonly { org: number; n: number }[], org) => {
        await begin(org)
        expect(questions.every((question) => question.org === org)).toBe(true)
        return questions.map(({ n }) => n)
      },
      { orgOf: ({ org }) => org, maxBatch: 2, maxWaiting: 100, ...limits },
    )
    return { ...work, ask: (org: number, count: number) => times(count, (n) => ask({ org, n })) }
  }

  test('one organization has as many as it may, and others run beside them', async () => {
    const { begun, ask } = open({ maxRunning: 2, maxRunningInAll: 5 })
    ask(1, 20)
    await nextTurn()
    expect(begun).toEqual([1, 1])
    for (const org of [2, 3, 4, 5]) ask(org, 1)
    await nextTurn()
    expect(begun).toEqual([1, 1, 2, 3])
  })

  test('many organizations have as many as there may be', async () => {
    const { begun, ask } = open({ maxRunning: 2, maxRunningInAll: 6 })
    for (let org = 1; org <= 15; org++) ask(org, 1)
    await nextTurn()
    expect(begun).toEqual([1, 2, 3, 4, 5])
    for (let org = 16; org <= 30; org++) ask(org, 1)
    await nextTurn()
    expect(begun).toEqual([1, 2, 3, 4, 5, 6])
  })

  test('those that wait for something keep no others from running', async () => {
    const { begun, ask } = open({ maxRunning: 2, maxRunningInAll: 6 })
    ask(1, 10)
    ask(2, 10)
    ask(3, 1)
    await nextTurn()
    expect(begun).toEqual([1, 2, 3, 1])
    await vi.waitFor(() => expect(begun).toEqual([1, 2, 3, 1, 2]), { timeout: 2_000 })
    ask(4, 1)
    await nextTurn()
    expect(begun).toEqual([1, 2, 3, 1, 2, 4])
  })

  test('the next one goes to the organization that has waited longest', async () => {
    const { begun, ask, endFirst } = open({ maxRunning: 2, maxRunningInAll: 2 })
    const answers = [...ask(1, 8), ...ask(2, 2), ...ask(3, 2)]
    await nextTurn()
    expect(begun).toEqual([1, 2])
    while (begun.length < 6) await endFirst()
    expect(begun).toEqual([1, 2, 3, 1, 1, 1])
    await endFirst()
    await endFirst()
    expect(await Promise.all(answers)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 0, 1])
  })

  test('one that has ended is followed by the next, whoever else it has shared its slot with', async () => {
    const { begun, ask, endOf } = open({ maxRunning: 1, maxRunningInAll: 8, isShared: true })
    for (let org = 1; org <= 9; org++) ask(org, 1)
    await nextTurn()
    expect(begun).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
    ask(2, 1)
    await endOf(3)
    await endOf(4)
    expect(begun).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9])
    await endOf(9)
    // Organization 1, which has begun in the same slot, is still waiting.
    await endOf(2)
    expect(begun.slice(9)).toEqual([2])
  })

  test('a failed one fails its own questions only', async () => {
    const ask = createBatch(
      async (questions: readonly number[], org) => {
        if (org === 1) throw new Error('away')
        return questions
      },
      { orgOf: (n) => n % 2, maxRunning: 1, maxRunningInAll: 2, maxBatch: 10, maxWaiting: 10 },
    )
    const results = await Promise.allSettled([ask(0), ask(1), ask(2), ask(3)])
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'rejected'])
  })
})

test('groups of baskets: two of one organization, those of others beside them, and no more than all may have', async () => {
  const { begun, begin, endFirst } = heldWork()
  const queue = createBasketQueue<number, number>({
    async run(org, jobs) {
      await begin(org)
      return jobs.map(done)
    },
    writersOfOne: 2,
    writers: 4,
    maxGroup: 1,
    maxWaiting: 100,
    maxWaitMs: 10_000,
    keysOf: () => [],
  })
  const answers = times(6, (i) => queue.submit(1, `cus_${i}`, i))
  expect(begun).toEqual([1, 1])
  for (const org of [2, 3, 4]) answers.push(queue.submit(org, 'cus_0', org))
  expect(begun).toEqual([1, 1, 2, 3])
  await endFirst()
  await endFirst()
  expect(begun).toEqual([1, 1, 2, 3, 1, 4])
  while (queue.size > 0) await endFirst()
  expect(await Promise.all(answers)).toEqual([0, 1, 2, 3, 4, 5, 2, 3, 4])
})
