/** Runs of the tests, of the storms and of the failover test, as tables. */
import { type Origin, readEntries } from '../bench/read-results.ts'
import type { PlannedCall } from '../test/cluster/plans.test.ts'
import type { CitusFailoverRecord, FailoverRecord, Outcome } from '../test/failover/failover-record.ts'
import type { StormRecord } from '../test/faults/storm-record.ts'
import type { RecordedPart } from '../test/support/record-run.ts'
import { dayOf, distinct, linkTo, originsText, rounded, tableOf } from './figure-words.ts'

type Recorded = Origin & RecordedPart

const counts = ['tests', 'passed', 'failed', 'skipped'] as const

/** Each part of the suite, of the runs of these names. */
export function describeParts(names: readonly string[]): string {
  const rows = names.flatMap((name) =>
    partsOf(name).map(([part, recorded]) => [
      name,
      `\`${part}\``,
      ...counts.map((count) => rounded(recorded[count])),
    ]),
  )
  const all = names.flatMap(partsOf).map(([, recorded]) => recorded)
  const forms = distinct(all.map(({ form }) => form)).join(' or ')
  const caption = `In the ${forms} form, ${originsText(all)}; ${versionsOf(all)} (${linkTo('tests')}):`
  const table = tableOf(['', 'Part', 'Tests', 'Passed', 'Failed', 'Skipped'], rows)
  return [...(rows.length > 0 ? [caption, table] : []), ...notKept(names)].join('\n\n')
}

/** A line for each run: the parts of the suite, and how many tests they have together. */
export function describeTestRuns(names: readonly string[]): string {
  const rows = names.flatMap((name) => {
    const parts = partsOf(name)
    if (parts.length === 0) return []
    const all = parts.map(([, recorded]) => recorded)
    const sums = counts.map((count) => rounded(all.reduce((sum, recorded) => sum + recorded[count], 0)))
    const days = distinct(all.map(dayOf)).join(', ')
    const processors = distinct(all.map(({ machine }) => machine.processor ?? ''))
    const on = [...processors, days].filter((word) => word !== '').join(', ')
    return [[name, parts.map(([part]) => `\`${part}\``).join(', '), ...sums, versionsOf(all), on]]
  })
  const table = tableOf(['', 'Parts', 'Tests', 'Passed', 'Failed', 'Skipped', 'Versions', 'On'], rows)
  return [...(rows.length > 0 ? [table] : []), ...notKept(names)].join('\n\n')
}

function notKept(names: readonly string[]): string[] {
  const missing = names.filter((name) => partsOf(name).length === 0)
  return missing.length > 0 ? [`No run has been kept yet: ${missing.join('; ')}.`] : []
}

function partsOf(name: string): [string, Recorded][] {
  const prefix = `${name}: `
  return Object.entries(readEntries<RecordedPart>('tests')).flatMap(([key, recorded]) =>
    key.startsWith(prefix) ? [[key.slice(prefix.length), recorded] as [string, Recorded]] : [],
  )
}

const versionsOf = (recorded: readonly { readonly versions: Readonly<Record<string, string>> }[]) =>
  distinct(
    recorded.flatMap(({ versions }) =>
      Object.entries(versions).map(([name, version]) => `${name} ${version}`),
    ),
  ).join(', ')

interface Plans {
  readonly versions: Readonly<Record<string, string>>
  readonly calls: Readonly<Record<string, PlannedCall>>
}

/** The statements of each call of a till, by how many parts of the tables they go to; the same whichever way. */
export function describePlans(name: string): string {
  const plans = readEntries<Plans>('plans')[name]
  if (!plans) return 'No plans have been kept yet.'
  const rows = Object.entries(plans.calls).map(([call, { one, several }]) => [
    call,
    ...[one, several].map(rounded),
  ])
  const caption = `${capitalized(originsText([plans]))}; ${versionsOf([plans])} (${linkTo('plans')}):`
  return `${caption}\n\n${tableOf(['', 'Statements that go to one part', 'to several'], rows)}`
}

interface Storms {
  readonly versions: Readonly<Record<string, string>>
  readonly storms: readonly StormRecord[]
}

/** All storms of a run together, of the runs whose name begins like this. */
export function describeStorms(target: string): string {
  const runs = Object.entries(readEntries<Storms>('faults')).filter(([name]) => name.startsWith(target))
  if (runs.length === 0) return 'No run of the storms has been kept yet.'
  const rows = runs.map(([name, { storms }]) => {
    const ran = storms.filter(({ skipped }) => skipped === undefined)
    const sum = (count: 'requests' | 'acknowledged' | 'unknown' | 'found' | 'lost' | 'doubled') =>
      rounded(ran.reduce((total, storm) => total + (storm[count] ?? 0), 0))
    const problems = ran.reduce((total, storm) => total + storm.problems.length, 0)
    const counted = (['requests', 'acknowledged', 'unknown', 'found', 'lost', 'doubled'] as const).map(sum)
    return [name, rounded(ran.length), ...counted, rounded(problems)]
  })
  const head = [
    '',
    'Storms',
    'Requests',
    'Acknowledged',
    'Unknown',
    'Committed',
    'Lost',
    'Doubled',
    'Problems',
  ]
  const all = runs.map(([, run]) => run)
  return `${capitalized(originsText(all))}; ${versionsOf(all)} (${linkTo('faults')}):\n\n${tableOf(head, rows)}`
}

export function describeFailover(): string {
  const runs = Object.values(readEntries<FailoverRecord>('failover'))
    .filter(({ isSynchronous }) => isSynchronous)
    .toSorted((a, b) => a.nodes - b.nodes)
  const ttl = distinct(runs.map(({ patroni }) => `${patroni.ttl}`)).join(', ')
  return failuresText(runs, {
    file: 'failover',
    more: `, \`ttl\` ${ttl}`,
    head: ['Nodes', 'Failure'],
    describe: ({ nodes, failure }) => [String(nodes), failure],
  })
}

/** What it cost to lose servers of a Citus cluster and put their standbys in their place. */
export function describeClusterFailover(): string {
  const runs = Object.values(readEntries<CitusFailoverRecord>('citus-failover'))
  return failuresText(runs, {
    file: 'citus-failover',
    more: '',
    head: ['Failure', 'Organizations on it'],
    describe: ({ failure, organizations, affected }) => [
      failure,
      affected < organizations ? `${affected} of ${organizations}` : 'none; seconds of all',
    ],
    also: ({ secondsOfOthers }, way) =>
      secondsOfOthers ? `; the others ${seconds(secondsOfOthers[way])}` : '',
  })
}

function failuresText<R extends Origin & Outcome>(
  runs: readonly R[],
  { file, more, head, describe, also = () => '' }: FailureTable<R>,
): string {
  if (runs.length === 0) return 'No run of the failover test has been kept yet.'
  const ways = distinct(runs.flatMap((run) => Object.keys(run.secondsWithoutService)))
  const rows = runs.map((run) => [
    ...describe(run),
    ...ways.map((way) => seconds(run.secondsWithoutService[way]) + also(run, way)),
    run.requests === undefined ? '' : rounded(run.requests),
    ...[run.acknowledged, run.unknown, run.found, run.lost, run.doubled].map(rounded),
  ])
  const counted = ['Requests', 'Acknowledged', 'Unknown', 'Committed', 'Lost', 'Doubled']
  const all = [...head, ...ways.map((way) => `Seconds without service, ${way}`), ...counted]
  return `${capitalized(originsText(runs))}; ${versionsOf(runs)}${more} (${linkTo(file)}):\n\n${tableOf(all, rows)}`
}

interface FailureTable<R> {
  readonly file: string
  /** What else the caption says. */
  readonly more: string
  /** The first columns, and what is in them. */
  readonly head: readonly string[]
  describe(run: R): readonly string[]
  /** What else is beside the seconds of a way. */
  also?(run: R, way: string): string
}

const seconds = (value: number | undefined) =>
  value === undefined ? '' : value === 0 ? 'under 1' : value.toFixed(1)

const capitalized = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)
