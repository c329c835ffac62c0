import { describe, expect, test } from 'vitest'
import type { ArchivedBalance, Histories, OldEntry, OldSale } from '../../store/wallets/old-sales.ts'
import { chooseSales } from './choose-sales.ts'

const day = (number: number) => new Date(Date.UTC(2024, 0, number))

interface Sold extends Partial<Omit<OldSale, 'id'>> {
  /** One entry for each version of the wallet, of so many points. */
  readonly moves?: Record<number, number>
  readonly hasOpenLot?: boolean
}

/** The history of one customer: sales in their order, each with the versions of the wallet that it made. */
function historyOf(
  sales: Record<string, Sold>,
  {
    archived = [],
    adjusted = {},
    isErased = false,
    agedUntil,
  }: {
    archived?: ArchivedBalance[]
    adjusted?: Record<number, number>
    isErased?: boolean
    agedUntil?: Date
  } = {},
): Histories {
  const moves = [
    ...Object.entries(sales).flatMap(([sale, { moves: own = {}, hasOpenLot = false }]) =>
      Object.entries(own).map(([version, amount]) => ({ sale, hasOpenLot, at: Number(version), amount })),
    ),
    ...Object.entries(adjusted).map(([version, amount]) => ({
      sale: undefined,
      hasOpenLot: false,
      at: Number(version),
      amount,
    })),
  ].sort((a, b) => a.at - b.at)
  let version = archived[0]?.version ?? 0
  let value = archived[0]?.value ?? 0
  let total = archived[0]?.total ?? 0
  return {
    wallets: [{ customer: 'c', version: 99, isErased }],
    archived,
    sales: Object.entries(sales).map(([id, { moves: _, hasOpenLot: __, ...more }], i) => ({
      id,
      customer: 'c',
      createdAt: day(i + 1),
      isReturnedLately: false,
      hasUsableCoupon: false,
      ...more,
    })),
    entries: moves.map(({ sale, at, amount, hasOpenLot }): OldEntry => {
      value += amount
      total += Math.max(0, amount)
      version++
      return {
        customer: 'c',
        key: 'points',
        version,
        walletVersion: at,
        kind: amount > 0 ? 'collect' : 'return',
        amount,
        valueAfter: value,
        totalAfter: total,
        shortfall: 0,
        sale,
        hasOpenLot,
      }
    }),
    aged: agedUntil ? [{ customer: 'c', key: 'points', until: agedUntil }] : [],
  }
}

const chosen = (histories: Histories, most = 100) => {
  const { sales, balances, staying, isCut } = chooseSales(histories, most)
  return {
    sales,
    upTo: balances[0]?.version ?? 0,
    staying: Object.fromEntries(Object.entries(staying).filter(([, count]) => count > 0)),
    isCut,
  }
}

const plain = { a: { moves: { 1: 5 } }, b: { moves: { 2: 7 } }, c: { moves: { 3: 9 } } }

describe('what leaves', () => {
  test('everything, with the balance that the last entry left', () => {
    const choice = chooseSales(historyOf(plain, { adjusted: { 4: -1 } }), 100)
    expect(choice.sales).toEqual(['a', 'b', 'c'])
    expect(choice.balances).toEqual([
      {
        customer: 'c',
        key: 'points',
        version: 4,
        value: 20,
        total: 21,
        shortfall: 0,
        sold: 21,
        soldUntil: day(3),
      },
    ])
    expect(choice.sums).toEqual([
      { kind: 'collect', key: 'points', amount: 21 },
      { kind: 'return', key: 'points', amount: -1 },
    ])
  })

  test('what was archived before is carried on', () => {
    const archived = {
      customer: 'c',
      key: 'points',
      version: 6,
      value: 40,
      total: 50,
      shortfall: 3,
      sold: 45,
    }
    expect(chooseSales(historyOf(plain, { archived: [archived] }), 100).balances).toEqual([
      { ...archived, version: 9, value: 61, total: 71, sold: 66, soldUntil: day(3) },
    ])
  })

  test('a sale that moved nothing leaves whatever the others do', () => {
    expect(chosen(historyOf({ a: { moves: { 1: 5 }, hasOpenLot: true }, b: {} }))).toMatchObject({
      sales: ['b'],
      upTo: 0,
    })
  })

  test('no more than fit into a step, and the rest in the next', () => {
    expect(chosen(historyOf(plain), 2)).toEqual({ sales: ['a', 'b'], upTo: 2, staying: {}, isCut: true })
    expect(chosen(historyOf({ a: {}, b: {}, c: {} }), 2)).toMatchObject({ sales: ['a', 'b'], isCut: true })
    // They can only leave together.
    const woven = {
      a: { moves: { 1: 5, 4: -5 } },
      b: { moves: { 2: 5, 5: -5 } },
      c: { moves: { 3: 5, 6: -5 } },
    }
    expect(chosen(historyOf(woven), 2)).toMatchObject({ sales: ['a', 'b', 'c'], isCut: false })
  })
})

describe('what stays', () => {
  test.each([
    ['openPoints', { b: { moves: { 2: 7 }, hasOpenLot: true } }],
    ['usableCoupon', { b: { moves: { 2: 7 }, hasUsableCoupon: true } }],
    ['returnedLately', { b: { moves: { 2: 7 }, isReturnedLately: true } }],
  ])('%s: the sale, and what moved a balance after it', (reason, changed) => {
    expect(chosen(historyOf({ ...plain, ...changed }))).toEqual({
      sales: ['a'],
      upTo: 1,
      staying: { [reason]: 1, afterAnother: 1 },
      isCut: false,
    })
  })

  test('a sale with an entry after one that stays, and what came after its first', () => {
    const sales = { a: { moves: { 1: 5 } }, b: { moves: { 2: 7, 5: -7 } }, c: { moves: { 3: 9 } } }
    const late = { ...sales, d: { moves: { 4: 1 }, hasOpenLot: true } }
    expect(chosen(historyOf(sales)).sales).toEqual(['a', 'b', 'c'])
    expect(chosen(historyOf(late))).toMatchObject({ sales: ['a'], upTo: 1 })
  })

  test('sales that are too recent for a threshold on the total', () => {
    expect(chosen(historyOf(plain, { agedUntil: day(2) }))).toMatchObject({
      sales: ['a', 'b'],
      staying: { recentTotal: 1 },
    })
  })

  test('nothing of an erased customer but what was returned lately', () => {
    const sales = { a: { moves: { 1: 5 }, hasOpenLot: true, hasUsableCoupon: true }, b: { moves: { 2: 7 } } }
    expect(chosen(historyOf(sales, { isErased: true, agedUntil: day(0) })).sales).toEqual(['a', 'b'])
  })

  test('whatever comes after a missing entry', () => {
    const { entries, ...rest } = historyOf(
      { a: { moves: { 1: 5 } }, b: { moves: { 3: 9 } } },
      { adjusted: { 2: 7 } },
    )
    expect(chosen({ ...rest, entries: entries.filter(({ version }) => version !== 2) })).toMatchObject({
      sales: ['a'],
      upTo: 1,
    })
  })

  test('everything, where an entry does not carry the balance after it', () => {
    const { entries, ...rest } = historyOf(plain)
    const broken = entries.map((entry) => (entry.version === 2 ? { ...entry, valueAfter: 1 } : entry))
    expect(() => chosen({ ...rest, entries: broken })).toThrow('verify-ledger')
  })
})
