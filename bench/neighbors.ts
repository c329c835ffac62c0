/**
 * What one organization can do to another, and to the memory of the service, within the bounds: the p95 of a
 * neighbor's sale while the other sends the worst requests that are accepted, eight at a time; its p99 while the other
 * sends ten times what it may; and the memory with 500 sockets that ask and never read. Ratios within a round, like
 * the rest of the benchmark. With `sales`, `limit` or `memory` only that is measured.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { migrate } from '../src/database/migrate.ts'
import { openPool } from '../src/database/pool.ts'
import { startEmbeddedPostgres } from '../src/embedded-postgres/embedded-postgres.ts'
import { type Children, endChildren, startClient } from './children.ts'
import { cardId, customerId, type Fixture, loadFixture } from './fixture.ts'
import type { LoadPlan } from './load-client.ts'
import { note, type Samples, seriesOf, summaryOf } from './report.ts'
import { saveEntries } from './save-results.ts'
import { startService } from './service.ts'
import { firstWarmUpMs, nextWarmUpMs } from './warm-up.ts'

const rounds = 5
const durationMs = 4_000
const patientSockets = 500
const memoryRounds = 3
const memorySeconds = 45
/** Requests per second, of each organization. */
const limit = 100
const beginningMs = 1_000

/** A thousand rules that each look at each line twice and all give; the engine's slowest campaign per rule. */
const worstCampaign = {
  name: 'Worst',
  balances: Array.from({ length: 50 }, (_, i) => ({ key: `b${i}` })),
  rules: Array.from({ length: 1000 }, () => ({
    kind: 'collect_per_item',
    balance: 'b49',
    amount: 1,
    products: ['p'],
    categories: ['c'],
    when: { products: ['p'], categories: ['c'], minAmount: 1 },
  })),
}
const worstLine = '{"product":"p","category":"c","unitPrice":3.33}'

async function main(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'lw-neighbors-'))
  const postgres = await startEmbeddedPostgres({ folder: join(folder, 'postgres') })
  const children: Children = []
  try {
    await migrate(postgres.connection)
    const pool = openPool(postgres.connection)
    const quiet = await loadFixture(pool, { customers: 1_000 })
    const loud = await loadFixture(pool, { customers: 1_000, campaign: worstCampaign })
    const eager = await loadFixture(pool, { customers: 1_000 })
    await pool.end()
    const [first, second] = [startClient(children), startClient(children, { isRefused: true })]
    const parts: Record<string, Part> = {
      sales: { measure: ({ port }) => measureSales(port, quiet, loud, [first, startClient(children)]) },
      limit: {
        settings: { RATE_LIMIT: String(limit) },
        measure: ({ port }) => measureLimit(port, quiet, eager, [first, second]),
      },
      memory: { measure: (service) => measureMemory(service, loud) },
    }
    const asked = process.argv[2]
    if (asked !== undefined && !(asked in parts))
      throw new Error(`Choose among ${Object.keys(parts).join(', ')}.`)
    for (const [name, { measure, settings }] of Object.entries(parts)) {
      if (asked !== undefined && asked !== name) continue
      const service = await startService(children, postgres.connection, 1, settings)
      const samples = await measure(service)
      await service.stop()
      saveEntries('neighbors', { [name]: { series: summaryOf(samples) } })
      print(name, samples)
    }
  } finally {
    endChildren(children)
    await postgres.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** What the loud organization sends. */
const attacks: Record<string, (loud: Fixture) => Partial<LoadPlan>> = {
  sales: () => ({ target: 'process', lines: 500 }),
  'checks of baskets': () => ({ target: 'validate', lines: 500 }),
  'previews of campaigns': ({ campaign }) => ({
    path: `/v1/campaigns/${campaign}/preview`,
    body: JSON.stringify({
      items: Array.from({ length: 50 }, () => JSON.parse(worstLine)),
      definition: worstCampaign,
    }),
  }),
}

type Run = ReturnType<typeof startClient>
type Service = Awaited<ReturnType<typeof startService>>

interface Part {
  readonly settings?: Record<string, string>
  readonly measure: (service: Service) => Promise<Samples>
}

function print(part: string, samples: Samples): void {
  console.log(`${part}: medians, and each round`)
  for (const [name, values] of samples) {
    const shown = values.map((value) => value.toFixed(2)).join(', ')
    console.log(`  ${name.padEnd(50)} ${seriesOf(values).median.toFixed(2)}  (${shown})`)
  }
}

/** The p95 of sales, in ms. */
async function measureSales(
  port: number,
  quiet: Fixture,
  loud: Fixture,
  [first, second]: readonly [Run, Run],
): Promise<Samples> {
  const base = { port, durationMs, customers: 1_000, target: 'process' as const }
  const sell = (over = {}) => first({ ...base, tokens: [quiet.token], connections: 1, rate: 20, ...over })
  const shout = (name: string, over = {}) =>
    second({
      ...base,
      tokens: [loud.token],
      connections: 8,
      line: worstLine,
      ...attacks[name]!(loud),
      ...over,
    })
  await sell({ rate: undefined, durationMs: firstWarmUpMs })
  for (const name of Object.keys(attacks)) await shout(name, { durationMs: firstWarmUpMs })
  const samples: Samples = new Map()
  for (let round = 0; round < rounds; round++) {
    await sell({ durationMs: nextWarmUpMs })
    const alone = await sell()
    note(samples, 'alone', alone.p95Ms)
    for (const name of Object.keys(attacks)) {
      const shouting = shout(name)
      const beside = await sell()
      const other = await shouting
      note(samples, `beside ${name}`, beside.p95Ms)
      note(samples, `beside ${name}, times alone`, beside.p95Ms / alone.p95Ms)
      note(samples, `${name} per second`, other.perSecond)
    }
  }
  return samples
}

/**
 * The p99 of sales at half the limit, in ms, while the other organization is refused nine requests of ten; and the
 * slowest while that one opens its connections, all at once, and what it may send in a burst is not used up yet.
 */
async function measureLimit(
  port: number,
  quiet: Fixture,
  eager: Fixture,
  [first, second]: readonly [Run, Run],
): Promise<Samples> {
  const base = { port, durationMs: 4 * durationMs, customers: 1_000, target: 'process' as const }
  const sell = (over = {}) =>
    first({ ...base, tokens: [quiet.token], connections: 8, rate: limit / 2, ...over })
  const shout = (ms: number) =>
    second({ ...base, durationMs: ms, tokens: [eager.token], connections: 256, rate: 10 * limit })
  await Promise.all([sell({ durationMs: firstWarmUpMs }), shout(firstWarmUpMs)])
  const samples: Samples = new Map()
  for (let round = 0; round < rounds; round++) {
    await sell({ durationMs: nextWarmUpMs })
    const alone = await sell()
    const shouting = shout(beginningMs + base.durationMs)
    const beginning = await sell({ durationMs: beginningMs })
    const beside = await sell()
    const { perSecond, failures, requests } = await shouting
    note(samples, 'alone', alone.p99Ms)
    note(samples, 'slowest in its first second', beginning.maxMs)
    note(samples, 'beside ten times the limit', beside.p99Ms)
    note(samples, 'beside ten times the limit, times alone', beside.p99Ms / alone.p99Ms)
    note(samples, 'sent beside it per second', perSecond)
    note(samples, 'share of it that was refused', failures / requests)
  }
  return samples
}

/** Sockets that ask for the largest pages there are and never read, against the same number that read. */
async function measureMemory(service: Service, loud: Fixture): Promise<Samples> {
  const metaData = { note: 'x'.repeat(8_000) }
  const items = Array.from({ length: 500 }, () => JSON.parse(worstLine))
  for (let i = 0; i < 30; i++) {
    await fetch(`http://127.0.0.1:${service.port}/v1/transactions/process`, {
      method: 'POST',
      headers: { authorization: `Bearer ${loud.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ customer: customerId(0), card: cardId(0), items, metaData }),
    })
  }
  await highestMb(service, loud, true)
  const samples: Samples = new Map()
  for (let round = 0; round < memoryRounds; round++) {
    const reading = await highestMb(service, loud, true)
    const silent = await highestMb(service, loud, false)
    note(samples, 'reading', reading)
    note(samples, 'silent', silent)
    note(samples, 'silent ÷ reading', silent / reading)
  }
  return samples
}

async function highestMb(service: Service, { token }: Fixture, reads: boolean): Promise<number> {
  const request = `GET /v1/customers/${customerId(0)}/transactions?limit=100 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`
  const sockets: Socket[] = []
  let highest = 0
  for (let i = 0; i < patientSockets; i++) {
    const socket = connect(service.port, '127.0.0.1').on('error', () => {})
    if (reads) socket.resume()
    else socket.pause()
    // Several at once: one page alone may fit into the buffers of the operating system.
    socket.write(request.repeat(5))
    sockets.push(socket)
  }
  for (let second = 0; second < memorySeconds; second++) {
    await sleep(1_000)
    highest = Math.max(highest, rssMb(service))
  }
  for (const socket of sockets) socket.destroy()
  await sleep(2_000)
  return highest
}

function rssMb({ pid }: Service): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1024
}

await main()
