/**
 * The long form: every storm, for minutes instead of seconds. `npm run test:faults -- --seed 7 --minutes 10` gives
 * each its share of ten minutes; `--only <words>` runs those whose name has the words, `--short` as the tests do. What
 * all of them found is kept in `bench/results/faults.json`, by what they ran against.
 */
import { parseArgs } from 'node:util'
import { saveEntries } from '../../bench/save-results.ts'
import { isOnCluster, isOnNodes } from '../support/cluster.ts'
import { describeTarget } from '../support/test-target.ts'
import { makeScene } from './scene.ts'
import { runStorm, type Storm, type StormResult } from './storm.ts'
import { recordOf } from './storm-record.ts'
import { storms } from './storms.ts'

const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    minutes: { type: 'string', default: '10' },
    only: { type: 'string' },
    short: { type: 'boolean', default: false },
  },
})
const seed = Number(values.seed ?? Math.floor(Math.random() * 1_000_000))
const minutes = Number(values.minutes)
if (!Number.isSafeInteger(seed) || !(minutes > 0)) throw new Error('--seed and --minutes take numbers')

// On a cluster, those that do not harm a PostgreSQL which the service has started. A service that connects to each
// server finds its way around the proxy.
const possible = isOnNodes ? ['external'] : ['external', 'proxied']
const isPossible = ({ database }: Storm) => !isOnCluster || possible.includes(database)
const chosen = storms.filter(
  (storm) => isPossible(storm) && (values.only === undefined || storm.name.includes(values.only)),
)
const shareMs = Math.round((minutes * 60_000) / chosen.length)
console.log(`seed ${seed}, ${chosen.length} faults, ${values.short ? 'short form' : `${minutes} minutes`}`)

const scene = await makeScene()
const results: (StormResult & { tookMs: number })[] = []
try {
  for (const storm of chosen) {
    const startedAt = Date.now()
    const result = await runStorm(scene, storm, { seed, longMs: values.short ? undefined : shareMs })
    results.push({ ...result, tookMs: Date.now() - startedAt })
    print(results.at(-1)!)
  }
} finally {
  await scene.remove()
}

// A run of some storms says nothing of the others, and is no record of this target.
if (values.only === undefined) {
  // Without a cluster, storms have a server of their own.
  const database = isOnCluster ? process.env.TEST_DATABASE_URL : undefined
  const { name, versions } = await describeTarget({ database })
  const form = values.short ? 'short' : 'long'
  const key = `${name}, ${form} form`
  const storms = results.map(recordOf)
  saveEntries('faults', { [key]: { versions, form, ...(values.short ? {} : { minutes }), seed, storms } })
}
process.exitCode = results.some(({ problems }) => problems.length > 0) ? 1 : 0

function print({
  storm,
  skipped,
  strikes,
  tally,
  backAfterMs,
  problems,
  tookMs,
}: (typeof results)[number]): void {
  if (results.length === 1) {
    const head = ['strikes', 'sent', 'acked', 'refused', 'unknown', 'found', 'lost', '503', 'slowest', 'back']
    console.log(`${'fault'.padEnd(40)}${head.map((word) => word.padStart(9)).join('')}`)
  }
  if (skipped || !tally) {
    console.log(`${storm.padEnd(40)} skipped: ${skipped}`)
    return
  }
  const { sent, acknowledged, refused, unknown, resentAndFound, lost, answers503, slowestMs } = tally
  const numbers = [strikes, sent, acknowledged, refused, unknown, resentAndFound, lost, answers503, slowestMs]
  const cells = [...numbers, backAfterMs ?? '-'].map((cell) => String(cell).padStart(9))
  console.log(
    `${storm.padEnd(40)}${cells.join('')}   ${problems.length === 0 ? 'ok' : 'FAILED'} in ${tookMs} ms`,
  )
  for (const problem of problems.slice(0, 20)) console.log(`  ${problem}`)
  if (problems.length > 20) console.log(`  and ${problems.length - 20} more`)
}
