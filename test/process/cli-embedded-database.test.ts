import { rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Checkout, findServerPid, makeCheckout, readDemo } from '../support/checkout.ts'
import { isFull } from '../support/full.ts'
import { runCommand, runForJson } from '../support/run-command.ts'

// The tests of this file are one story on one data folder, in the order of the file.
let checkout: Checkout
let settings: { DATA_DIR: string }

beforeAll(async () => {
  checkout = await makeCheckout()
  settings = { DATA_DIR: await checkout.newDataDir() }
})

afterAll(() => checkout.remove())

/** In the full check in a process of its own, which loads the same code again. */
const runAlone = (args: readonly string[]) =>
  isFull ? checkout.run(args, settings) : runCommand(args, settings)

test('the doctor leaves a folder that is not there alone', async () => {
  const { code, stdout } = await runCommand(['doctor'], settings)
  expect(code).toBe(0)
  expect(stdout).toMatch(/^ok +embedded postgres +postgres \(PostgreSQL\) 18/m)
  expect(stdout).toMatch(/^ok +database +will be created at the first start$/m)
  expect(stdout).toMatch(/No problems found\.\n$/)
  await expect(stat(settings.DATA_DIR)).rejects.toThrow('ENOENT')
})

test('migrate makes the database, and stops it again', async () => {
  const { code, stdout } = await runAlone(['migrate', '--json'])
  expect(code).toBe(0)
  expect(JSON.parse(stdout)).toMatchObject({ database: 'embedded', applied: expect.arrayContaining([]) })
  expect(JSON.parse(stdout).applied.length).toBeGreaterThan(0)
  expect(await findServerPid(settings.DATA_DIR)).toBeUndefined()
})

test('the doctor starts a database that is not running, and leaves it as it was', async () => {
  const { code, stdout } = await runAlone(['doctor', '--json'])
  expect(code).toBe(0)
  const { checks } = JSON.parse(stdout)
  expect(checks.map(({ check }: { check: string }) => check)).toEqual([
    'node',
    'settings',
    'data folder',
    'disk',
    'embedded postgres',
    'database',
    'version',
    'durability',
    'schema',
    'role',
    'clock',
    'background work',
    'webhooks',
    'pass keys',
    'tracing',
    'port',
  ])
  expect(await findServerPid(settings.DATA_DIR)).toBeUndefined()
})

test('beside a running service, commands and the doctor use its database', async () => {
  const service = await checkout.start(settings)
  const demo = await readDemo(settings.DATA_DIR)
  const pid = await findServerPid(settings.DATA_DIR)

  // A process of its own would load the same code for each of them.
  const token = await runCommand(['token'], settings)
  expect(token).toMatchObject({ code: 0, stderr: '' })
  const reply = await fetch(`${service.baseUrl}/v1/organization`, {
    headers: { authorization: `Bearer ${token.stdout.trim()}` },
  })
  expect(await reply.json()).toMatchObject({ id: demo.organizationId })

  const doctor = await runCommand(['doctor'], { ...settings, PORT: new URL(service.baseUrl).port })
  expect(doctor.code).toBe(0)
  expect(doctor.stdout).toMatch(/^ok +database .*is running$/m)
  expect(doctor.stdout).toMatch(/^ok +port +the service at .* is ready$/m)

  const integration = await runForJson(['integration', 'create', 'Till'], settings)
  const args = [
    'connection',
    'create',
    '--organization',
    demo.organizationId,
    '--integration',
    integration.id,
  ]
  const connection = await runForJson(args, settings)
  const made = { API_KEY: integration.apiKey, API_SECRET: connection.apiSecret }
  expect(await runCommand(['token'], { ...settings, ...made })).toMatchObject({ code: 0 })

  expect(await findServerPid(settings.DATA_DIR)).toBe(pid)
  await service.end('SIGTERM')
})

test.runIf(isFull)('without the service, commands start the database and take turns', async () => {
  const [one, other] = await Promise.all([
    checkout.run(['organization', 'create', 'One', '--json'], settings),
    checkout.run(['organization', 'create', 'Other', '--json'], settings),
  ])
  expect([one.code, other.code]).toEqual([0, 0])
  const { stdout } = await runCommand(['organization', 'list'], settings)
  for (const name of ['Demo Café', 'One', 'Other']) expect(stdout).toContain(name)
  expect(await findServerPid(settings.DATA_DIR)).toBeUndefined()
})

test('token says so when the service of demo.json is gone', async () => {
  const { code, stdout, stderr } = await runCommand(['token'], settings)
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr).toMatch(/is not reachable .*npm start/)
})

test.runIf(isFull)('serve --json prints one document and leaves the log to stderr', async () => {
  const dataDir = settings.DATA_DIR
  // The one of the former run; what is there from now on is of the new one.
  await rm(join(dataDir, 'demo.json'))
  const child = checkout.run(['serve', '--json'], settings)
  const demo = await waitForDemo(dataDir)
  const listed = await fetch(`${demo.baseUrl}/readyz`)
  expect(listed.status).toBe(200)
  checkout.signalNewest('SIGTERM')
  const { code, stdout, stderr } = await child
  expect(code).toBe(0)
  expect(JSON.parse(stdout)).toMatchObject({ baseUrl: demo.baseUrl, demo: { apiKey: demo.apiKey } })
  expect(stderr).toMatch(/"msg":"Server listening/)
})

async function waitForDemo(dataDir: string) {
  for (;;) {
    const demo = await readDemo(dataDir).catch(() => undefined)
    if (demo) return demo
    await new Promise((done) => setTimeout(done, 20))
  }
}
