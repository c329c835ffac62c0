/**
 * Computes what an installation of any size needs, from what the benchmark has measured and from assumptions
 * that are all stated below. Arithmetic, not a measurement: it shows which resource runs out first.
 *   npm run simulate                                  100 million customers, 50,000 baskets per second
 *   npm run simulate -- --basketsPerSecond 5000 --merchants 2000
 */
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import {
  type ComparedRates,
  type CostResults,
  type FullResults,
  readEntries,
  readResults,
  type Series,
} from '../bench/read-results.ts'

export const assumed = {
  customers: 100_000_000,
  /** At the busiest moment. */
  basketsPerSecond: 50_000,
  merchants: 100_000,
  /** The n-th largest merchant sells 1/n of what the largest does (Zipf's law). */
  zipf: 1,
  /** The average of a year divided by the busiest moment. */
  averageOfPeak: 0.25,
  /** How long a basket is under way, which decides how many are written together. */
  secondsUnderWay: 0.01,
  /** Months that stay in the database before they are archived. */
  monthsKept: 13,
  /** Processors that are busier than this make everybody wait. */
  utilization: 0.6,
  coresOfServer: 32,
  memoryOfServerGb: 256,
  diskOfServerGb: 8_000,
  walOfServerMbPerSecond: 200,
  /** Whole pages that a basket adds to the WAL where customers rarely meet between two checkpoints. */
  wholePagesPerBasket: 1,
  /**
   * Rate on a cluster divided by the rate on one server, for a merchant with at most two baskets under way. Used
   * until a cluster has been measured with 64 organizations: the ratio of 8 organizations on a cluster (0.58) times
   * that of 64 to one on one server, when they did not share messages yet, as they do not on a cluster (0.37).
   */
  clusterRatioOfSmall: 0.21,
}

export type Assumed = typeof assumed

/** What the benchmark has measured, by the number of baskets under way in the organization. */
export interface Measured {
  /** µs of processor time per basket. */
  readonly serviceUs: ByLoad
  readonly databaseUs: ByLoad
  readonly storedBytes: number
  readonly walBytes: number
  readonly bytesPerCustomer: number
  /**
   * The same on a cluster: the fewer baskets are written together, the more planning there is for each of them.
   * Without it, rates on a cluster divided by those on one server.
   */
  readonly cluster: { readonly databaseUs: ByLoad } | { readonly ratios: ByLoad }
}

type ByLoad = ReadonlyMap<number, number>

/** Under way at the same time in `bench/organizations.ts`, in all organizations together. */
const underWayThere = 128

export function readMeasured(): Measured {
  const [cost, full] = [readResults<CostResults>('cost'), readResults<FullResults>('full')]
  if (!cost || !full) throw new Error('Run npm run bench and npm run bench:cost first.')
  const ofSummary = (name: string) => full.summary.find((line) => line.name === name)!.median
  const byLoad = (of: Record<string, Series>) =>
    new Map(Object.entries(of).map(([tills, { median }]) => [Number(tills), median]))
  return {
    serviceUs: byLoad(cost.loads.service),
    databaseUs: byLoad(cost.loads.database),
    storedBytes: ofSummary('stored bytes per basket'),
    walBytes: ofSummary('WAL bytes per basket'),
    bytesPerCustomer: cost.bytesPerCustomer,
    ...readCluster(),
  }
}

/**
 * Organizations share messages on one server, and on a cluster they do not: once both have been measured with the
 * same organizations, that is better than what one organization costs by itself.
 */
function readCluster(): Pick<Measured, 'cluster'> & Partial<Measured> {
  const compared = readEntries<ComparedRates>('organizations')
  const found = Object.entries({ '64 organizations': 64, '8 organizations': 8, 'one organization': 1 }).map(
    ([words, count]) => [underWayThere / count, compared[`cluster, direct ÷ one server, ${words}`]] as const,
  )
  const byLoad = (read: (rates: ComparedRates) => Series | undefined): ByLoad =>
    new Map(
      found.flatMap(([underWay, rates]) => {
        const series = rates && read(rates)
        return series ? [[underWay, series.median] as const] : []
      }),
    )
  const onCluster = byLoad(({ databaseUs }) => databaseUs?.process)
  const onOneServer = byLoad(({ databaseUsOfOther }) => databaseUsOfOther?.process)
  if (onCluster.size === found.length && onOneServer.size === found.length)
    return { cluster: { databaseUs: onCluster }, databaseUs: onOneServer }
  const ratios = byLoad(({ ratios }) => ratios.process)
  if (!ratios.has(underWayThere)) throw new Error('Run npm run bench:organizations on a cluster first.')
  return { cluster: { ratios } }
}

/** What was measured, at another number of baskets under way: between two, in proportion to the logarithm. */
export function valueAt(measured: ByLoad, underWay: number): number {
  const known = [...measured].sort(([a], [b]) => a - b)
  const wanted = Math.min(Math.max(underWay, known[0]![0]), known.at(-1)![0])
  const upper = known.findIndex(([tills]) => tills >= wanted)
  if (upper <= 0) return known[0]![1]
  const [[from, atFrom], [to, atTo]] = [known[upper - 1]!, known[upper]!]
  return atFrom + ((atTo - atFrom) * Math.log(wanted / from)) / Math.log(to / from)
}

/** Baskets per second of each merchant, the largest first. */
export function salesOf({ merchants, zipf, basketsPerSecond }: Assumed): number[] {
  const weights = Array.from({ length: merchants }, (_, i) => 1 / (i + 1) ** zipf)
  const sum = weights.reduce((total, weight) => total + weight, 0)
  return weights.map((weight) => (basketsPerSecond * weight) / sum)
}

export interface Need {
  readonly name: string
  readonly amount: number
  readonly unit: string
  /** What one server has of it. */
  readonly perServer: number
}

export interface Outcome {
  readonly serviceCores: number
  readonly plainDatabaseCores: number
  readonly needs: readonly Need[]
  readonly servers: number
  readonly hottest: {
    readonly perSecond: number
    readonly cores: number
    /** On one server, which has all of an organization. */
    readonly mostPerSecond: number
    readonly limitedBy: string
  }
}

/** µs of processor time per basket. */
function costOnCluster(
  { clusterRatioOfSmall }: Assumed,
  { cluster, databaseUs }: Measured,
  baskets: number,
): number {
  if ('databaseUs' in cluster) return valueAt(cluster.databaseUs, baskets)
  const ratios = new Map([[2, clusterRatioOfSmall], ...cluster.ratios])
  return valueAt(databaseUs, baskets) / valueAt(ratios, baskets)
}

export function simulate(given: Assumed, measured: Measured): Outcome {
  const sales = salesOf(given)
  const underWay = (perSecond: number) => perSecond * given.secondsUnderWay
  const coresFor = (costOf: (underWay: number) => number) =>
    sales.reduce((sum, perSecond) => sum + (perSecond * costOf(underWay(perSecond))) / 1e6, 0) /
    given.utilization
  const onOneServer = (baskets: number) => valueAt(measured.databaseUs, baskets)
  const onCluster = (baskets: number) => costOnCluster(given, measured, baskets)
  const secondsKept = (given.monthsKept / 12) * 365.25 * 86_400
  const kept = given.basketsPerSecond * given.averageOfPeak * secondsKept
  const customerGb = (given.customers * measured.bytesPerCustomer) / 1e9
  const walMb = (measured.walBytes + 8_192 * given.wholePagesPerBasket) / 1e6
  const needs: Need[] = [
    { name: 'processors', amount: coresFor(onCluster), unit: 'cores', perServer: given.coresOfServer },
    {
      name: 'write-ahead log',
      amount: given.basketsPerSecond * walMb,
      unit: 'MB/s',
      perServer: given.walOfServerMbPerSecond,
    },
    {
      name: 'disk',
      amount: (kept * measured.storedBytes) / 1e9 + customerGb,
      unit: 'GB',
      perServer: given.diskOfServerGb,
    },
    // Half of the memory is for what customers hold, which is read at random; the rest is for everything else.
    { name: 'memory', amount: customerGb * 2, unit: 'GB', perServer: given.memoryOfServerGb },
  ]
  const hottest = sales[0]!
  const costOfHottest = onCluster(underWay(hottest)) / 1e6 / given.utilization
  const limits = {
    processors: given.coresOfServer / costOfHottest,
    'write-ahead log': given.walOfServerMbPerSecond / walMb,
  }
  const [limitedBy, mostPerSecond] = Object.entries(limits).toSorted(([, a], [, b]) => a - b)[0]!
  return {
    serviceCores: coresFor((baskets) => valueAt(measured.serviceUs, baskets)),
    plainDatabaseCores: coresFor(onOneServer),
    needs,
    servers: Math.max(...needs.map(({ amount, perServer }) => Math.ceil(amount / perServer))),
    hottest: { perSecond: hottest, cores: hottest * costOfHottest, mostPerSecond, limitedBy },
  }
}

const rounded = (value: number) =>
  (value >= 100 ? Math.round(value) : Number(value.toPrecision(2))).toLocaleString('en')

/** The outcome as Markdown, which is also readable on a terminal. */
export function describeScale(given: Assumed, measured: Measured): string {
  const { serviceCores, plainDatabaseCores, needs, servers, hottest } = simulate(given, measured)
  const first = needs.toSorted((a, b) => b.amount / b.perServer - a.amount / a.perServer)[0]!
  const rows = needs.map(
    ({ name, amount, unit, perServer }) =>
      `| ${name} | ${rounded(amount)} ${unit} | ${rounded(perServer)} ${unit} | ${Math.ceil(amount / perServer)} |`,
  )
  return [
    `${rounded(given.basketsPerSecond)} baskets per second at the peak, ${rounded(given.customers)} customers, ` +
      `${rounded(given.merchants)} merchants:`,
    '',
    '| Database servers | needed in all | one server has | servers |',
    '|---|---|---|---|',
    ...rows,
    '',
    `- **${servers} database servers**, each with a standby. What runs out first is **${first.name}**.`,
    `- **${rounded(serviceCores)} cores for the service**, on any number of machines.`,
    `- One PostgreSQL without Citus would need ${rounded(plainDatabaseCores)} cores for the same work: what ` +
      `Citus adds to each statement is the rest. ${describeRatios(given, measured, hottest.perSecond * given.secondsUnderWay)}`,
    `- **The largest merchant** sells ${rounded(hottest.perSecond)} baskets per second, which takes ` +
      `${rounded(hottest.cores)} cores. An organization lives on one server, so ${rounded(hottest.mostPerSecond)} ` +
      `per second is the most that one merchant can ever sell there, because of the ${hottest.limitedBy}.`,
  ].join('\n')
}

/** How many times as much a basket costs on a cluster: what it does to merchants of different sizes. */
function describeRatios(given: Assumed, measured: Measured, underWayOfLargest: number): string {
  const times = (baskets: number) =>
    (costOnCluster(given, measured, baskets) / valueAt(measured.databaseUs, baskets)).toFixed(1)
  const largest = Math.round(underWayOfLargest)
  const counted =
    `On a cluster a basket costs PostgreSQL ${times(128)} times as much as on one server with 128 baskets of an ` +
    `organization under way, ${times(16)} times with 16, and ${times(2)} times with 2, which counts for all smaller ` +
    `merchants as well. In between it is taken in proportion to the logarithm: ${times(largest)} times for the ` +
    `largest merchant, which has ${rounded(largest)} under way.`
  if ('databaseUs' in measured.cluster) return counted
  return (
    `${counted} That with 2 is an assumption (\`--clusterRatioOfSmall\`), until \`npm run bench:organizations\` ` +
    'has measured a cluster with 64 organizations, and the others are taken from rates instead of processor times.'
  )
}

function main(): void {
  const options = Object.keys(assumed).map((name) => [name, { type: 'string' }] as const)
  const { values } = parseArgs({ options: Object.fromEntries(options) })
  const given: Record<string, number> = { ...assumed }
  for (const [name, text] of Object.entries(values)) {
    given[name] = Number(text)
    if (!(given[name] > 0)) throw new Error(`--${name} must be a number above 0, and not "${text}".`)
  }
  console.log(describeScale(given as Assumed, readMeasured()))
  console.log('\nAssumed:')
  for (const [name, value] of Object.entries(given)) console.log(`  --${name} ${value}`)
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  try {
    main()
  } catch (error) {
    console.error((error as Error).message)
    process.exitCode = 1
  }
}
