/**
 * What one organization can do to another, and to the memory of the service, within the bounds: the p95 of a
 * neighbor's sale while the other sends the worst requests that are accepted, eight at a time, and the memory
 * with 500 sockets that ask and never read. Ratios within a round, like the rest of the benchmark.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { migrate } from '../src/database/migrate.ts'
import { openPool } from '../src/database/pool.ts'
import { startEmbeddedPostgres } from '../src/embedded-postgres/embedded-postgres.ts'
import { type Children, endChildren, startClient } from './children.ts'
import { cardId, customerId, type Fixture, loadFixture } from './fixture.ts'
import type { LoadPlan } from './load-client.ts'
import { median } from './report.ts'
import { startService } from './service.ts'

const rounds = 5
const durationMs = 4_000
const patientSockets = 500

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
    await pool.end()
    const service = await startService(children, postgres.connection, 1)
    const asked = process.argv[2]
    if (asked !== 'memory')
      await measureSales(service.port, quiet, loud, [startClient(children), startClient(children)])
    if (asked !== 'sales') await measureMemory(service, loud)
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

async function measureSales(
  port: number,
  quiet: Fixture,
  loud: Fixture,
  [first, second]: readonly [Run, Run],
): Promise<void> {
  const base = { port, durationMs, customers: 1_000, target: 'process' as const }
  const sell = () => first({ ...base, tokens: [quiet.token], connections: 1, rate: 20 })
  const shout = (name: string) =>
    second({ ...base, tokens: [loud.token], connections: 8, line: worstLine, ...attacks[name]!(loud) })
  await sell()
  const p95: Record<string, number[]> = {}
  for (let round = 0; round < rounds; round++) {
    const note = (name: string, value: number) => {
      p95[name] = [...(p95[name] ?? []), value]
    }
    const alone = await sell()
    note('alone', alone.p95Ms)
    for (const name of Object.keys(attacks)) {
      const shouting = shout(name)
      const beside = await sell()
      const other = await shouting
      note(`beside ${name}`, beside.p95Ms)
      note(`beside ${name}, times alone`, beside.p95Ms / alone.p95Ms)
      note(`${name} per second`, other.perSecond)
    }
  }
  console.log("p95 of a neighbor's sale, in ms; target: 5 times alone, or 100 ms")
  for (const [name, values] of Object.entries(p95)) {
    console.log(
      `  ${name.padEnd(50)} ${median(values).toFixed(1)}  (${values.map((value) => value.toFixed(1)).join(', ')})`,
    )
  }
}

/** Sockets that ask for the largest pages there are and never read, against the same number that read. */
async function measureMemory(service: { port: number; pid: number }, loud: Fixture): Promise<void> {
  const rssMb = () =>
    Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${service.pid}/status`, 'utf8'))![1]) / 1024
  const metaData = { note: 'x'.repeat(8_000) }
  const items = Array.from({ length: 500 }, () => JSON.parse(worstLine))
  for (let i = 0; i < 30; i++) {
    await fetch(`http://127.0.0.1:${service.port}/v1/transactions/process`, {
      method: 'POST',
      headers: { authorization: `Bearer ${loud.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ customer: customerId(0), card: cardId(0), items, metaData }),
    })
  }
  const request = `GET /v1/customers/${customerId(0)}/transactions?limit=100 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${loud.token}\r\n\r\n`
  const highest = async (reads: boolean) => {
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
    for (let second = 0; second < 45; second++) {
      await new Promise((resolve) => setTimeout(resolve, 1_000))
      highest = Math.max(highest, rssMb())
    }
    for (const socket of sockets) socket.destroy()
    await new Promise((resolve) => setTimeout(resolve, 2_000))
    return highest
  }
  await highest(true)
  const reading = await highest(true)
  const silent = await highest(false)
  console.log(
    `memory with ${patientSockets} sockets, highest in 45 s: ${reading.toFixed(0)} MB if they read, ${silent.toFixed(0)} MB if not: ${(silent / reading).toFixed(2)} times (target: at most 1.5)`,
  )
}

await main()
