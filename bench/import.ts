/**
 * How long it takes to import customers, each with an email address, a phone number, a card and a balance that expires:
 * writes such a file, and runs the commands on it as a merchant does, against the service on the embedded PostgreSQL.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { cpus, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { migrate } from '../src/database/migrate.ts'
import { startEmbeddedPostgres } from '../src/embedded-postgres/embedded-postgres.ts'
import { packageRoot } from '../src/package-root.ts'
import { cpuOfChildren } from './cpu.ts'
import { benchSecrets } from './fixture.ts'
import { saveResults } from './save-results.ts'
import { startService, toUrl } from './service.ts'

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { rows: { type: 'string' }, 'at-once': { type: 'string' } } })
  const rows = Number(values.rows ?? 1_000_000)
  const folder = await mkdtemp(join(tmpdir(), 'lw-import-bench-'))
  const children: ChildProcess[] = []
  const postgres = await startEmbeddedPostgres({ folder: join(folder, 'postgres') })
  try {
    await migrate(postgres.connection)
    const service = await startService(children, postgres.connection, 1)
    const env = await openMerchant(`http://127.0.0.1:${service.port}`)
    const file = join(folder, 'customers.csv')
    await writeCustomers(file, rows)
    const options = ['--campaign', env.campaign, '--at-once', values['at-once'] ?? '2']
    const keys = { API_KEY: env.apiKey, API_SECRET: env.apiSecret }
    const customers = (...args: string[]) => timed(['customers', ...args, '--url', env.url], keys)
    const dryRun = await customers('import', file, '--dry-run', ...options)
    const imported = await customers('import', file, ...options)
    const again = await customers('import', file, ...options)
    const exported = await customers('export', join(folder, 'exported.csv'))
    // Fails if ledger, balances, coupons and reports do not agree.
    const verified = await timed(['verify-ledger'], { DATABASE_URL: toUrl(postgres.connection) })
    const results = {
      rows,
      cores: cpus().length,
      rowsPerSecond: Math.round(rows / imported.seconds),
      dryRun,
      imported,
      again,
      exported,
      verified,
    }
    console.log(results)
    // The aim is for the whole amount.
    if (values.rows === undefined) saveResults('import', results)
    await service.stop()
  } finally {
    for (const child of children) child.kill('SIGKILL')
    await postgres.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

interface MerchantEnv {
  readonly url: string
  readonly campaign: string
  readonly apiKey: string
  readonly apiSecret: string
}

async function openMerchant(url: string): Promise<MerchantEnv> {
  const call = async (path: string, body: object, headers: Record<string, string>) => {
    const reply = await fetch(url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    })
    if (!reply.ok) throw new Error(`${path}: ${reply.status} ${await reply.text()}`)
    return (await reply.json()) as Record<string, string>
  }
  const operator = { authorization: `Bearer ${benchSecrets.adminToken}` }
  const { id: organization } = await call(
    '/admin/v1/organizations',
    { name: 'Benchmark', country: 'AT' },
    operator,
  )
  const { id: integration, apiKey } = await call('/admin/v1/integrations', { name: 'Benchmark' }, operator)
  const { apiSecret } = await call(
    `/admin/v1/organizations/${organization}/connections`,
    { integration, scopes: ['pos', 'manage'] },
    operator,
  )
  const keys = { 'x-api-key': apiKey!, 'x-api-secret': apiSecret! }
  const { accessToken } = await call('/auth/token', {}, keys)
  const merchant = { authorization: `Bearer ${accessToken}` }
  const definition = {
    name: 'Points',
    balances: [{ key: 'points', name: 'Points' }],
    rules: [{ id: 'base', kind: 'points_per_amount', balance: 'points', points: 1, per: 1 }],
  }
  const { id: campaign } = await call('/v1/campaigns', definition, merchant)
  await call(`/v1/campaigns/${campaign}/publish`, {}, merchant)
  return { url, campaign: campaign!, apiKey: apiKey!, apiSecret: apiSecret! }
}

async function writeCustomers(file: string, rows: number): Promise<void> {
  const out = createWriteStream(file)
  out.write('Customer ID,Name,Email,Phone,Card number,Points,Points expiry,Newsletter\r\n')
  for (let i = 0; i < rows; i++) {
    const line = `c-${i},Customer Number ${i},customer.${i}@example.com,+43664${String(i + 1_000_000).padStart(7, '0')},CARD${String(i).padStart(10, '0')},${(i * 37) % 5000},2099-12-31,${i % 2 ? 'yes' : 'no'}\r\n`
    if (!out.write(line)) await once(out, 'drain')
  }
  out.end()
  await once(out, 'finish')
}

interface Timed {
  readonly seconds: number
  readonly load?: number
  readonly processorSeconds: number
}

/** `processorSeconds` are those of the command, the service and PostgreSQL, which hardly depend on other load. */
async function timed(args: readonly string[], variables: Record<string, string>): Promise<Timed> {
  const startedAt = performance.now()
  const cpuBefore = cpuOfChildren(process.pid) ?? 0
  const command = [join(packageRoot, 'dist/loyalty-wallet.js'), ...args, '--json']
  const child = spawn(process.execPath, command, {
    env: { ...process.env, ...variables },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let said = ''
  child.stdout.on('data', (part) => {
    said += part
  })
  const [code] = await once(child, 'exit')
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}: ${said.slice(0, 2_000)}`)
  const { created, unchanged, rejected, count } = JSON.parse(said)
  return {
    seconds: (performance.now() - startedAt) / 1000,
    load: loadavg()[0],
    processorSeconds: ((cpuOfChildren(process.pid) ?? 0) - cpuBefore) / 1e6,
    ...{ created, unchanged, rejected, count },
  }
}

await main()
