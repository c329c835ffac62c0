/**
 * The figures that documents quote, from the newest results in `bench/results/`. They stand between two comments, of
 * which the first names them; `npm run generate` replaces what is between.
 */
import { aimed, type ResultFile } from '../bench/aims.ts'
import {
  type BackupResults,
  type ComparedRates,
  type CostResults,
  type FullResults,
  type NeighborSeries,
  readEntries,
  readResults,
  type Series,
} from '../bench/read-results.ts'
import { seriesOf } from '../bench/report.ts'
import { captionOf, commands, describeAims } from './describe-aims.ts'
import {
  describeClusterFailover,
  describeFailover,
  describeParts,
  describePlans,
  describeStorms,
  describeTestRuns,
} from './describe-runs.ts'
import { linkTo, notYet, rounded, seriesText, tableOf } from './figure-words.ts'
import { assumed, describeScale, readMeasured } from './simulate-scale.ts'

export const figures: Record<string, () => string> = {
  'npm run simulate': () => describeScale(assumed, readMeasured()),
  'figures: one machine': describeOneMachine,
  'figures: processor time': describeProcessorTime,
  'figures: bytes': describeBytes,
  'figures: memory': describeMemory,
  'figures: workers': describeWorkers,
  'figures: neighbors': describeNeighbors,
  'figures: aims': () => describeAims(aimed),
  'figures: cluster': describeCluster,
  'figures: tests on a cluster': () => describeParts(['Citus', 'Citus, direct connections']),
  'figures: plans on a cluster': () => describePlans('Citus'),
  'figures: storms on a cluster': () => describeStorms('Citus'),
  'figures: failover': describeFailover,
  'figures: failover of a cluster': describeClusterFailover,
  'figures: tests on other versions': () =>
    describeTestRuns([
      ...['PgBouncer', 'Node.js 20', 'Node.js 22', 'Node.js 24', 'Node.js 26'],
      ...['PostgreSQL 15', 'PostgreSQL 16', 'PostgreSQL 17', 'PostgreSQL 18'],
    ]),
  'figures: backup': describeBackup,
}

/** The documents that have such figures. */
export const documentsWithFigures = [
  'docs/guides/capacity.md',
  'docs/guides/operate.md',
  'docs/guides/running.md',
  'docs/guides/scale.md',
]

const place = /^<!-- (figures: .+|npm run .+) -->\n[\s\S]*?^<!-- end of it -->$/gm

/** The document with the newest figures in their places. */
export function fillFigures(text: string, from: Record<string, () => string> = figures): string {
  return text.replaceAll(place, (_, name: string) => {
    const describe = from[name]
    if (!describe) throw new Error(`There are no figures with the name "${name}".`)
    return `<!-- ${name} -->\n${describe()}\n<!-- end of it -->`
  })
}

function describeOneMachine(): string {
  const full = readResults<FullResults>('full')
  if (!full) return notYet(commands.full)
  const of = (name: string, unit: string) => seriesText(seriesOf(full.figures[name]!), unit)
  const rows = [
    ['baskets, 256 tills at once', of('process per second', 'per second')],
    ['previews', of('validate per second', 'per second')],
    ['look-ups of customers', of('find per second', 'per second')],
    ['one basket from one till on an idle machine, p50', of('process p50 ms, one client', 'ms')],
    ['256 tills that send without a pause, p99 of a basket', of('process p99 ms, 256 clients', 'ms')],
  ]
  return `${captionOf('full')}\n\n${tableOf(['', 'Median (lowest to highest round)'], rows)}`
}

const calls = {
  empty: 'an empty request',
  validate: 'a preview',
  find: 'a look-up',
  process: 'a basket, 256 tills at once',
  register: 'a registration',
  return: 'a return',
}

function describeProcessorTime(): string {
  const cost = readResults<CostResults>('cost')
  if (!cost) return notYet(commands.cost)
  const cells = ({ service, database }: Pick<CostResults['calls'], 'service' | 'database'>, name: string) => [
    seriesText(service[name]!),
    seriesText(database[name]!),
  ]
  const rows = [
    ...Object.entries(calls).map(([name, words]) => [words, ...cells(cost.calls, name)]),
    ...['1', '8', '64'].map((tills) => [
      `a basket, ${tills === '1' ? 'a single till' : `${tills} tills at once`}`,
      ...cells(cost.loads, tills),
    ]),
  ]
  return `${captionOf('cost')}\n\n${tableOf(['µs of processor time', 'Service', 'PostgreSQL'], rows)}`
}

function describeBytes(): string {
  const bytes = (name: string) => findInFull(name)?.median
  const [stored, wal] = ['stored bytes per basket', 'WAL bytes per basket'].map(bytes)
  if (stored === undefined || wal === undefined) return notYet(commands.full)
  const rows = [
    ['disk, rows and indexes', `${rounded(stored)} bytes per basket`],
    ["PostgreSQL's write-ahead log (WAL)", `${rounded(wal)} bytes per basket, with 100,000 customers`],
  ]
  const month = `A million baskets a month take about ${(stored / 1_000).toFixed(1)} GB of disk space a month; old ones can be [moved to files](running.md#years-of-data).`
  return `${captionOf('full')}\n\n${tableOf(['', ''], rows)}\n\n${month}`
}

const findInFull = (name: string) =>
  readResults<FullResults>('full')?.summary.find((line) => line.name === name)

const sourcesText = (files: readonly ResultFile[]) =>
  `From ${files.map((file) => `\`${commands[file]}\`${readResults(file) ? ` (${linkTo(file)})` : ''}`).join(' and ')}:`

function describeMemory(): string {
  const [late, growth, large] = ['memory MB', 'memory late ÷ early', 'large database ÷ small'].map(findInFull)
  if (!late || !growth || !large) return notYet(commands.full)
  const silent = readEntries<NeighborSeries>('neighbors').memory?.series['silent ÷ reading']
  const rows = [
    ['a process of the service after a million baskets', seriesText(late, 'MB')],
    ['that ÷ after the first 50,000', seriesText(growth)],
    [
      'with 500 connections that ask for the largest pages and never read them ÷ that read them',
      silent ? seriesText(silent) : 'not measured yet',
    ],
    [
      "baskets with 2 million cards and 10 million ledger entries ÷ with 10,000 cards, with the embedded server's settings",
      seriesText(large),
    ],
  ]
  return `${sourcesText(['full', 'neighbors'])}\n\n${tableOf(['', 'Median (lowest to highest round)'], rows)}`
}

function describeWorkers(): string {
  const rate = findInFull('two workers ÷ one')
  const cost = readResults<CostResults>('cost')?.workers['two ÷ one']
  const rows = [
    ['baskets per second', rate ? seriesText(rate) : 'not measured yet'],
    ['processor time of a basket at the same load', cost ? seriesText(cost) : 'not measured yet'],
  ]
  return `${sourcesText(['full', 'cost'])}\n\n${tableOf(['Two workers ÷ one', 'Median (lowest to highest round)'], rows)}`
}

function describeNeighbors(): string {
  const slowest = 'slowest in its first second'
  const entries = readEntries<NeighborSeries>('neighbors')
  const row = (words: string, part: string, name: string) => {
    const series = entries[part]?.series
    if (!series?.[name]) return [words, 'not measured yet', '']
    const times = series[`${name}, times alone`]
    return [words, seriesText(series[name], 'ms'), times ? seriesText(times) : '']
  }
  const rows = [
    row('alone, p95', 'sales', 'alone'),
    ...['sales', 'checks of baskets', 'previews of campaigns'].map((attack) =>
      row(`beside the worst ${attack}, p95`, 'sales', `beside ${attack}`),
    ),
    row('alone, at half of a limit of 100 requests per second, p99', 'limit', 'alone'),
    row('in the second in which another one begins to send ten times that, the slowest', 'limit', slowest),
    row('beside ten times that limit, p99', 'limit', 'beside ten times the limit'),
  ]
  return `${captionOf('neighbors')}\n\n${tableOf(['A sale', 'Median (lowest to highest round)', 'Times alone'], rows)}`
}

const ways = { cluster: 'through the coordinator', 'cluster, direct': '`CLUSTER_DIRECT`' }

function describeCluster(): string {
  const entries = readEntries<ComparedRates>('organizations')
  const compared = ['64 organizations', '8 organizations', 'one organization'].flatMap((organizations) =>
    Object.entries(ways).map(([way, words]) => ({
      words: `${organizations}, ${words}`,
      rates: entries[`${way} ÷ one server, ${organizations}`],
    })),
  )
  const cell = (series: Series | undefined) => (series ? seriesText(series) : 'not measured yet')
  const rates = compared.map(({ words, rates }) => [
    words,
    ...['process', 'validate', 'find'].map((target) => cell(rates?.ratios[target])),
  ])
  const costs = compared.map(({ words, rates }) => [
    words,
    cell(rates?.databaseUs?.process),
    cell(rates?.databaseUsOfOther?.process),
  ])
  return [
    captionOf('organizations'),
    tableOf(['Rate on a cluster ÷ rate on one server', 'baskets', 'previews', 'look-ups'], rates),
    "Of that, PostgreSQL's processor time for a basket, of all servers together:",
    tableOf(['µs', 'cluster', 'one server'], costs),
  ].join('\n\n')
}

function describeBackup(): string {
  const results = readResults<BackupResults>('backup')
  if (!results) return notYet(commands.backup)
  const { ledgerEntries, fileMb, backup, verify, restore } = results
  const size = `${rounded(ledgerEntries)} ledger entries with their sales, events and customers, ${rounded(backup.rows)} rows or ${(backup.textBytes / 1e9).toFixed(1)} GB of text, make a file of ${(fileMb / 1_000).toFixed(2)} GB.`
  const rows = Object.entries({ backup, 'backup verify': verify, restore }).map(
    ([name, { seconds, processorSeconds }]) => [`\`${name}\``, rounded(seconds), rounded(processorSeconds)],
  )
  const share = (part: 'rows' | 'indexes' | 'check') =>
    `${Math.round((restore.parts[part] / restore.parts.all) * 100)} %`
  const parts = `Of the restore, the rows take ${share('rows')}, the indexes ${share('indexes')}, and the check ${share('check')}.`
  return `${size} ${captionOf('backup')}\n\n${tableOf(['', 'Seconds', 'Seconds of processor time'], rows)}\n\n${parts}`
}
