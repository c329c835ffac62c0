/** What operators load into other programs fits what the service really reports. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { packageRoot } from '../../src/package-root.ts'
import { createTracer } from '../../src/tracing/tracer.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { type Merchant, startTestService, type TestService } from '../support/service.ts'

/** On a computer that is busy with something else. */
const patiently = { timeout: 30_000 }
const read = (path: string) => readFileSync(join(packageRoot, path), 'utf8')
const rules = read('deploy/alerts.yml')
const cases = read('test/alerts/alert-cases.yml')
const dashboard = JSON.parse(read('deploy/grafana-dashboard.json'))
const guide = read('docs/guides/operate.md')
const alerts = [...rules.matchAll(/^ +- alert: (\w+)$/gm)].map(([, name]) => name!)

interface Panel {
  readonly id: number
  readonly title: string
  readonly targets?: readonly { readonly expr: string }[]
}
const panels: readonly Panel[] = dashboard.panels
const expressions = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr))

let database: TestDatabase
let service: TestService
let shop: Merchant

beforeAll(async () => {
  database = await createTestDatabase()
  const log = { info() {}, warn() {} }
  const settings = { endpoint: 'http://127.0.0.1:4318', headers: {}, serviceName: 'x', sampleRatio: 0 }
  service = await startTestService({
    // Not a replica, and therefore never used; but with one, its metrics are there.
    replica: { connection: database.connection, maxAgeMs: 1_000 },
    tracer: createTracer({ ...settings, version: '0', log }),
  })
  shop = await service.createMerchant()
})

afterAll(async () => {
  await service.close()
  await database.close()
})

async function readMetrics(): Promise<string> {
  return (await service.call('GET', '/metrics')).text
}

test('every metric that the rules, their cases and the dashboard name is reported', async () => {
  const reported = new Set<string>()
  for (const [, name, type] of (await readMetrics()).matchAll(/^# TYPE (\w+) (\w+)$/gm)) {
    reported.add(name!)
    if (type === 'histogram') for (const part of ['bucket', 'sum', 'count']) reported.add(`${name}_${part}`)
  }
  const prefixes = [...new Set([...reported].map((name) => name.split('_')[0]!))]
  const metric = new RegExp(`(?<![\\w$"])(?:${prefixes.join('|')})_\\w+`, 'g')
  const texts = [rules.replaceAll(/^ +(?:summary|description|runbook_url):.*$/gm, ''), cases, ...expressions]
  const named = new Set(texts.flatMap((text) => text.match(metric) ?? []))
  expect([...named].filter((name) => !reported.has(name))).toEqual([])
  expect(named.size).toBeGreaterThan(25)
  // Something that is misspelled in its first word is no metric for the pattern above.
  const isMetric = new RegExp(metric.source)
  expect(expressions.filter((expression) => !isMetric.test(expression))).toEqual([])
})

test('every alert says what it is about and leads to its section, and every section has its alert', () => {
  expect(alerts.length).toBeGreaterThan(10)
  for (const part of rules.split(/^ +- alert: /m).slice(1)) {
    const name = /^\w+/.exec(part)![0]
    for (const annotation of ['summary', 'description'])
      expect(part).toMatch(new RegExp(`^ +${annotation}: .{10}`, 'm'))
    expect(part).toContain(`/docs/guides/operate.md#${name.toLowerCase()}\n`)
  }
  const section = guide.split(/^## Alerts$/m)[1]!.split(/^## /m)[0]!
  expect([...section.matchAll(/^### (.+)$/gm)].map(([, name]) => name)).toEqual(alerts)
  for (const part of section.split(/^### /m).slice(1))
    expect(part).toMatch(
      /\*\*What it means\.\*\*[\s\S]+\*\*How to look\.\*\*[\s\S]+```sh\n[\s\S]+\*\*What to do\.\*\*/,
    )
  expect([...cases.matchAll(/^ {2}- name: ([A-Z]\w+)$/gm)].map(([, name]) => name)).toEqual(alerts)
})

test('the dashboard has panels with expressions, each with an id of its own', () => {
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length)
  expect(expressions.length).toBeGreaterThan(20)
  for (const { targets } of panels) for (const { expr } of targets ?? []) expect(expr).toContain('$instance')
})

const hasPromtool = (() => {
  try {
    execFileSync('promtool', ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
})()

test.skipIf(!hasPromtool)('promtool accepts rules and dashboard, and each alert fires for its reason', () => {
  const run = (...args: string[]) => execFileSync('promtool', args, { encoding: 'utf8', stdio: 'pipe' })
  run('check', 'rules', join(packageRoot, 'deploy/alerts.yml'))
  run('test', 'rules', join(packageRoot, 'test/alerts/alert-cases.yml'))
  const folder = mkdtempSync(join(tmpdir(), 'lw-rules-'))
  try {
    // As rules, so that promtool parses the expressions of the dashboard as well.
    const asRules = expressions.map((expr, i) => ({
      record: `panel:${i}`,
      expr: expr.replaceAll('$__rate_interval', '5m').replaceAll('$instance', '.*'),
    }))
    const file = join(folder, 'dashboard.yml')
    writeFileSync(file, JSON.stringify({ groups: [{ name: 'dashboard', rules: asRules }] }))
    expect(run('check', 'rules', file)).toContain(`SUCCESS: ${expressions.length} rules`)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})

test('groups, queues, retries and routes are counted, and no label is an id', async () => {
  const campaign = await shop.publishCampaign()
  const buyers = await Promise.all(Array.from({ length: 6 }, () => shop.register(campaign)))
  const sold = await Promise.all(
    buyers.map(({ customer, card }, i) =>
      shop.call('POST', '/v1/transactions/process', {
        customer,
        card,
        opaqueId: `metrics-${i}`,
        items: [{ product: 'latte', quantity: 1, unitPrice: 3 }],
      }),
    ),
  )
  expect(sold.map(({ status }) => status)).toEqual(sold.map(() => 201))
  await shop.call('GET', `/v1/customers/${buyers[0]!.customer}`)
  const text = await readMetrics()
  const value = (series: string) =>
    Number(
      text
        .split('\n')
        .find((line) => line.startsWith(`${series} `))
        ?.split(' ')[1],
    )
  expect(value('basket_group_size_sum')).toBe(6)
  expect(value('basket_group_size_count')).toBeLessThan(6)
  expect(value('basket_group_wait_seconds_count')).toBe(value('basket_group_size_count'))
  // The first group meets a product that nobody has seen, and is decided again under lock.
  expect(value('database_retries_total{reason="conflict"}')).toBeGreaterThan(0)
  expect(value('requests_waiting_age_seconds{lane="connection"}')).toBe(0)
  expect(value('baskets_waiting_age_seconds')).toBe(0)
  expect(value('database_connections_max')).toBe(10)
  expect(value('event_loop_utilization')).toBeGreaterThan(0)
  expect(value('nodejs_heap_limit_bytes')).toBeGreaterThan(value('nodejs_heap_size_used_bytes'))
  const count = 'http_request_duration_seconds_count'
  expect(value(`${count}{method="GET",route="/v1/customers/:id",status="200"}`)).toBe(1)
  expect(text).not.toMatch(/(?:org|cus|txn|card)_[0-9a-f]{8}/)
})

test('a basket that cannot be written yet shows how long it waits', async () => {
  const campaign = await shop.publishCampaign()
  const { customer, card } = await shop.register(campaign)
  const buy = (opaqueId: string) =>
    shop.call('POST', '/v1/transactions/process', {
      customer,
      card,
      opaqueId,
      items: [{ product: 'latte', quantity: 1, unitPrice: 3 }],
    })
  await buy('before')
  const client = await service.database.pool.connect()
  await client.query('BEGIN')
  await client.query('LOCK TABLE balances IN ACCESS EXCLUSIVE MODE')
  // A customer is in one group at a time, so the second waits for the first.
  const sold = [buy('held-1')]
  try {
    await expect.poll(readMetrics, patiently).toMatch(/^baskets_waiting 1$/m)
    sold.push(buy('held-2'))
    await expect.poll(readMetrics, patiently).toMatch(/^baskets_waiting_age_seconds (?!0$)\d/m)
  } finally {
    await client.query('COMMIT')
    client.release()
  }
  expect((await Promise.all(sold)).map(({ status }) => status)).toEqual([201, 201])
})
