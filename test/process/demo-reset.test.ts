import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { urlOf } from '../support/checkout.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { runCommand, runForJson } from '../support/run-command.ts'

let database: TestDatabase
let folder: string
let env: Record<string, string>

beforeAll(async () => {
  database = await createTestDatabase()
  folder = await mkdtemp(join(tmpdir(), 'wallet-demo-'))
  env = { DATABASE_URL: urlOf(database.connection), DATA_DIR: folder, DEMO: '1', DEMO_DAYS: '0' }
})
afterAll(async () => {
  await database.close()
  await rm(folder, { recursive: true, force: true })
})

const organizations = async () =>
  (await database.pool.query('SELECT name, is_demo FROM organizations ORDER BY name')).rows

test('without a demo nothing is deleted, and nothing is created', async () => {
  await runForJson(['organization', 'create', 'Real'], env)
  const refused = await runForJson(['demo', 'reset', '--yes'], env)
  expect(refused).toMatchObject({ code: 1, error: { code: 'no_demo' } })
  expect(await organizations()).toEqual([{ name: 'Real', is_demo: false }])
})

test('the demo is created anew, and only the demo', async () => {
  const made = await runForJson(['organization', 'create', 'Old demo'], env)
  await database.pool.query("UPDATE organizations SET is_demo = true WHERE name = 'Old demo'")
  const unsure = await runCommand(['demo', 'reset'], env)
  expect(unsure).toMatchObject({ code: 1, stderr: expect.stringMatching(/Nothing was changed.*--yes/) })
  expect(await organizations()).toHaveLength(2)
  await writeFile(
    join(folder, 'demo.json'),
    JSON.stringify({ baseUrl: 'http://127.0.0.1:1', apiSecret: 'old' }),
  )
  const reset = await runForJson(['demo', 'reset', '--yes'], env)
  expect(reset).toMatchObject({ code: 0, apiSecret: expect.stringMatching(/^lws_/) })
  expect(reset.organizationId).not.toBe(made.id)
  expect(await organizations()).toEqual([
    { name: 'Demo Café', is_demo: true },
    { name: 'Real', is_demo: false },
  ])
  // A script that reads the file of a running service goes on with the new credentials.
  const file = JSON.parse(await readFile(join(folder, 'demo.json'), 'utf8'))
  expect(file).toMatchObject({ baseUrl: 'http://127.0.0.1:1', apiSecret: reset.apiSecret })
})
