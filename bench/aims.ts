/**
 * What the measurements are to reach, and where their results are. `npm run generate` writes the table in
 * docs/guides/capacity.md from it; the reason is shown as long as the aim is missed.
 */
import {
  type BackupResults,
  type ComparedRates,
  type CostResults,
  type FullResults,
  type ImportResults,
  type NeighborSeries,
  readEntries,
  readResults,
  type Series,
} from './read-results.ts'

export interface Aim {
  readonly kind: 'at least' | 'at most'
  readonly value: number
}

export type ResultFile = 'full' | 'cost' | 'organizations' | 'neighbors' | 'backup' | 'import'

export interface Aimed {
  readonly file: ResultFile
  /** As the program that measures it calls it. */
  readonly name: string
  /** As readers of the guide do. */
  readonly words: string
  readonly aim: Aim
  readonly unit?: string
  /** Undefined until it has been measured; a run that is not repeated has no spread. */
  readonly find: () => Found | undefined
  /** Something else that is enough. */
  readonly or?: Pick<Aimed, 'aim' | 'unit' | 'find'>
  /** One sentence, if it is missed. */
  readonly reason?: string
  readonly larger?: string
}

export type Found = Pick<Series, 'median'> & Partial<Series>

type Rest = Partial<Pick<Aimed, 'unit' | 'or' | 'reason' | 'larger'>>

const atLeast = (value: number): Aim => ({ kind: 'at least', value })
const atMost = (value: number): Aim => ({ kind: 'at most', value })

export function isMet(value: number, { kind, value: bound }: Aim): boolean {
  return kind === 'at least' ? value >= bound : value <= bound
}

const ofFull = (name: string, words: string, aim: Aim, rest: Rest = {}): Aimed => ({
  ...{ file: 'full', name, words, aim, ...rest },
  find: () => readResults<FullResults>('full')?.summary.find((line) => line.name === name),
})

const ofCost = (name: string, words: string, aim: Aim, rest: Rest = {}): Aimed => ({
  ...{ file: 'cost', name, words, aim, ...rest },
  find: () => readResults<CostResults>('cost')?.ratios?.[name],
})

const ofOrganizations = (compared: string, target: string, aim: Aim, rest: Rest = {}): Aimed => ({
  ...{ file: 'organizations', name: `${compared}: ${target}`, aim, ...rest },
  words: `${compared}: ${names[target]}`,
  find: () => readEntries<ComparedRates>('organizations')[compared]?.ratios[target],
})

const names: Record<string, string> = { process: 'baskets', validate: 'previews', find: 'look-ups' }

const findNeighbors = (entry: string, name: string) => () =>
  readEntries<NeighborSeries>('neighbors')[entry]?.series[name]

const ofNeighbors = (entry: string, name: string, words: string, aim: Aim, rest: Rest = {}): Aimed => ({
  ...{ file: 'neighbors', name, words, aim, ...rest },
  find: findNeighbors(entry, name),
})

const once = (value: number | undefined): Found | undefined =>
  value === undefined ? undefined : { median: value }

const noHotSpot =
  'No function stands out in the profile of a basket: what it costs is spread over some hundred of them ([decision 0011](../decisions/0011-the-cost-of-a-basket.md)).'
const ownCores =
  'the same with a core for PostgreSQL and another for the load client, which here take what the service could use'

const speed: readonly Aimed[] = [
  ofFull(
    'process ÷ raw function',
    'baskets ÷ commits of a database function that writes the same rows',
    atLeast(1),
  ),
  ofFull('process ÷ empty POST', 'baskets ÷ empty requests', atLeast(0.4), {
    reason: `${noHotSpot} PostgreSQL and the load client need the second core as well, which empty requests have almost to themselves.`,
    larger: ownCores,
  }),
  ofFull('validate ÷ empty POST', 'previews ÷ empty requests', atLeast(0.5), { larger: ownCores }),
  ofFull('find ÷ empty POST', 'look-ups ÷ empty requests', atLeast(0.5), { larger: ownCores }),
  ofFull('one customer ÷ spread', 'baskets of one customer ÷ spread over 100,000', atLeast(0.3)),
  ofFull(
    'p50 one client, grouped ÷ alone',
    'p50 of a single till, with groups of baskets ÷ without',
    atMost(1.3),
  ),
  ofFull('p50 one client ÷ raw call', 'p50 of a single till ÷ p50 of the database function', atMost(1.5), {
    reason:
      'The function is one exchange between two processes; a basket is three, one with the client and two with the database, and each of them wakes up a process.',
  }),
  ofFull('p99 ÷ p50 at half rate', 'p99 ÷ p50 at half the highest rate', atMost(10)),
  ofFull('large database ÷ small', 'baskets with 2 million cards ÷ with 10,000', atLeast(0.8), {
    reason:
      'Rounds of the runs of 15 and 19 November 2026 were between 0.62 and 0.84, so that the machine moves more than what is missing.',
    larger: 'a database that does not fit into memory',
  }),
  ofFull('p50 1,000 rules ÷ 10', 'p50 with 1,000 rules on the card ÷ with 10', atMost(2), {
    reason:
      'Rounds of the runs of 15 and 19 November 2026 were between 1.33 and 2.66, so that the machine moves more than what is missing.',
  }),
  ofFull('p50 100 lines ÷ 1', 'p50 of a basket with 100 lines ÷ with one', atMost(10)),
  ofFull('stored bytes per basket', 'bytes that a basket adds to the disk', atMost(1_500)),
  ofFull('WAL bytes per basket', 'bytes that a basket adds to the write-ahead log', atMost(2_500), {
    larger: 'whole pages, where customers are too many to meet between two checkpoints',
  }),
  ofFull('memory late ÷ early', 'memory after a million baskets ÷ after 50,000', atMost(1.2)),
  ofFull('memory MB', 'memory after a million baskets', atMost(300), { unit: 'MB' }),
]

const together = 'processor time of service and PostgreSQL'

const cost: readonly Aimed[] = [
  ofCost(
    'basket ÷ echo',
    'basket ÷ `node:http` that does nothing, processor time of the service',
    atMost(2.5),
    {
      reason: noHotSpot,
    },
  ),
  ofCost('basket ÷ empty call', 'basket ÷ empty call, processor time of the service', atMost(2.5), {
    reason: noHotSpot,
  }),
  ofCost('look-up ÷ empty call', `look-up ÷ empty call, ${together}`, atMost(1.2), {
    reason: 'PostgreSQL has to search, and an empty call does not reach it.',
  }),
  ofCost(
    'registration ÷ basket of a single till',
    `registration ÷ basket of a single till, ${together}`,
    atMost(1),
  ),
  ofCost('return ÷ basket of a single till', `return ÷ basket of a single till, ${together}`, atMost(2)),
  {
    file: 'cost',
    name: 'two ÷ one',
    words: `baskets of two workers ÷ of one at the same load, ${together}`,
    aim: atMost(1.15),
    find: () => readResults<CostResults>('cost')?.workers['two ÷ one'],
    reason: 'The same requests reach two processes, and each of them wakes up for fewer at once.',
    larger: 'how many workers are worth their cost where there are cores to spare',
  },
]

const smallGroups =
  'Organizations share messages and transactions, but each has statements of its own ([decision 0031](../decisions/0031-shared-messages.md)): with two tills in each, PostgreSQL starts for two baskets as many as otherwise for a hundred.'
const planning = 'Citus plans each statement again, for the organization that it is for.'
const manyMachines = 'what servers with cores of their own carry together: here all share two'

const organizations: readonly Aimed[] = [
  ...['near', '3 ms away'].flatMap((place) =>
    ['process', 'validate', 'find'].map((target) =>
      ofOrganizations(`64 organizations ÷ one, ${place}`, target, atLeast(0.8), {
        reason: smallGroups,
        larger: 'whether PostgreSQL with more cores makes up for it',
      }),
    ),
  ),
  ...['cluster', 'cluster, direct'].flatMap((way) =>
    Object.entries({ process: 0.5, find: 0.6 }).map(([target, value]) =>
      ofOrganizations(`${way} ÷ one server, 8 organizations`, target, atLeast(value), {
        reason: planning,
        larger: manyMachines,
      }),
    ),
  ),
]

const neighbors: readonly Aimed[] = [
  ...['sales', 'checks of baskets', 'previews of campaigns'].map((attack) =>
    ofNeighbors(
      'sales',
      `beside ${attack}, times alone`,
      `p95 of a sale beside the worst ${attack} of another organization ÷ alone`,
      atMost(5),
      { or: { aim: atMost(100), unit: 'ms', find: findNeighbors('sales', `beside ${attack}`) } },
    ),
  ),
  ofNeighbors(
    'limit',
    'beside ten times the limit, times alone',
    'p99 of a sale beside another organization that sends ten times its limit ÷ alone',
    atMost(2),
    {
      reason:
        'A thousand requests a second, most of them refused, make Node.js collect young objects every half second, for about ten milliseconds: most of the slowest sales came right after that. Beside an organization that sends no more than its limit, the p99 is 1.5 times alone (by hand, on 19 November 2026).',
    },
  ),
  ofNeighbors(
    'memory',
    'silent ÷ reading',
    'memory with 500 connections that never read ÷ that read',
    atMost(1.5),
  ),
]

const commands: readonly Aimed[] = [
  ...(['backup', 'restore'] as const).map(
    (command): Aimed => ({
      file: 'backup',
      name: command,
      words: `${command} of 10 million ledger entries`,
      aim: atMost(600),
      unit: 's',
      find: () => once(readResults<BackupResults>('backup')?.[command].seconds),
    }),
  ),
  {
    file: 'import',
    name: 'rows per second',
    words: 'customers imported per second',
    aim: atLeast(1_667),
    find: () => once(readResults<ImportResults>('import')?.rowsPerSecond),
  },
]

export const aimed: readonly Aimed[] = [...speed, ...cost, ...organizations, ...neighbors, ...commands]

/** Undefined for what is measured without an aim. */
export function aimOf(file: ResultFile, name: string): Aim | undefined {
  return aimed.find((each) => each.file === file && each.name === name)?.aim
}
