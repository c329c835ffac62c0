import { describe, expect, test } from 'vitest'
import { assumed, type Measured, salesOf, simulate, valueAt } from '../scripts/simulate-scale.ts'

const measured: Measured = {
  serviceUs: new Map([
    [1, 400],
    [64, 200],
  ]),
  databaseUs: new Map([
    [1, 1_000],
    [8, 300],
    [64, 150],
  ]),
  storedBytes: 1_500,
  walBytes: 2_000,
  bytesPerCustomer: 1_000,
  cluster: {
    ratios: new Map([
      [16, 0.4],
      [128, 0.8],
    ]),
  },
}

describe('the cost of a basket', () => {
  test('is what was measured, and between two measurements in proportion to the logarithm', () => {
    const at = (underWay: number) => valueAt(measured.databaseUs, underWay)
    expect([1, 8, 64].map(at)).toEqual([1_000, 300, 150])
    expect(at(Math.sqrt(8))).toBeCloseTo(650)
    expect(at(Math.sqrt(8 * 64))).toBeCloseTo(225)
  })

  test('is never extrapolated', () => {
    expect([0, 0.001, 1_000].map((underWay) => valueAt(measured.databaseUs, underWay))).toEqual([
      1_000, 1_000, 150,
    ])
  })
})

test('merchants sell all baskets together, the second half of what the first does', () => {
  const sales = salesOf({ ...assumed, merchants: 1_000, basketsPerSecond: 5_000 })
  expect(sales.reduce((sum, each) => sum + each, 0)).toBeCloseTo(5_000)
  expect(sales[1]! / sales[0]!).toBeCloseTo(0.5)
})

describe('an installation', () => {
  /** One merchant, whose baskets are all under way together. */
  const one = {
    ...assumed,
    merchants: 1,
    basketsPerSecond: 6_400,
    secondsUnderWay: 0.01,
    customers: 1_000_000,
    clusterRatioOfSmall: 0.2,
  }

  test('needs what its baskets cost', () => {
    const { serviceCores, plainDatabaseCores, needs, hottest } = simulate(one, measured)
    expect(plainDatabaseCores).toBeCloseTo((6_400 * 150) / 1e6 / 0.6)
    expect(serviceCores).toBeCloseTo((6_400 * 200) / 1e6 / 0.6)
    const [processors, log, disk, memory] = needs.map(({ amount }) => amount)
    // Between 16 and 128 under way.
    const ratio = 0.4 + (0.4 * Math.log(64 / 16)) / Math.log(128 / 16)
    expect(processors).toBeCloseTo(plainDatabaseCores / ratio)
    expect(log).toBeCloseTo((6_400 * (2_000 + 8_192)) / 1e6)
    expect(disk).toBeCloseTo((6_400 * 0.25 * (13 / 12) * 365.25 * 86_400 * 1_500) / 1e9 + 1)
    expect(memory).toBeCloseTo(2)
    expect(hottest).toMatchObject({ perSecond: 6_400, limitedBy: 'write-ahead log' })
    expect(hottest.mostPerSecond).toBeCloseTo(200e6 / (2_000 + 8_192))
    const fast = simulate({ ...one, walOfServerMbPerSecond: 1e6 }, measured).hottest
    expect(fast).toMatchObject({ limitedBy: 'processors' })
    expect(fast.mostPerSecond).toBeCloseTo((32 * 0.6 * 1e6) / (150 / ratio))
  })

  test('pays more for planning, the fewer baskets of a merchant are written together', () => {
    const coresOf = (merchants: number) => {
      const { needs, plainDatabaseCores } = simulate({ ...one, merchants, zipf: 0 }, measured)
      return needs[0]!.amount / plainDatabaseCores
    }
    expect(coresOf(4)).toBeCloseTo(1 / 0.4)
    expect(coresOf(32)).toBeCloseTo(1 / 0.2)
    expect(coresOf(6_400)).toBeCloseTo(1 / 0.2)
  })

  test('costs what was measured on a cluster, where that is known', () => {
    const databaseUs = new Map([
      [2, 900],
      [128, 300],
    ])
    const { needs } = simulate({ ...one, merchants: 64, zipf: 0 }, { ...measured, cluster: { databaseUs } })
    expect(needs[0]!.amount).toBeCloseTo((6_400 * 900) / 1e6 / 0.6)
  })

  test('has as many servers as its scarcest resource asks for', () => {
    const { needs, servers } = simulate({ ...one, diskOfServerGb: 1_000 }, measured)
    const disk = needs.find(({ name }) => name === 'disk')!
    expect(servers).toBe(Math.ceil(disk.amount / 1_000))
    expect(simulate({ ...one, basketsPerSecond: 12_800 }, measured).servers).toBeGreaterThan(1)
  })
})
