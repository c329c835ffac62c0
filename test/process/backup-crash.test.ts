import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createClient } from '../../src/database/pool.ts'
import { packageRoot } from '../../src/package-root.ts'
import { urlOf } from '../support/checkout.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { isFull } from '../support/full.ts'
import { runForJson } from '../support/run-command.ts'

let source: TestDatabase
let target: TestDatabase
let folder: string
const rows = 60_000
/** More kills, at other moments: TEST_EFFORT=10. */
const effort = Number(process.env.TEST_EFFORT ?? 1)

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lw-backup-crash-'))
  ;[source, target] = await Promise.all([createTestDatabase(), createTestDatabase({ empty: true })])
  await source.pool.query(
    `INSERT INTO organizations (id, name, country, currency, timezone, locale, created_at, updated_at)
     VALUES (gen_random_uuid(), 'Mine', 'US', 'USD', 'UTC', 'en', now(), now())`,
  )
  await source.pool.query(
    `INSERT INTO events (org_id, position, id, type, data, created_at)
     SELECT 1, n, gen_random_uuid(), 'test', json_build_object('a', md5(n::text), 'b', md5(n || 'b')), now()
     FROM generate_series(1, ${rows}) AS n`,
  )
})
afterAll(async () => {
  await source.close()
  await target.close()
  await rm(folder, { recursive: true, force: true })
})

const envOf = ({ connection }: TestDatabase) => ({ DATABASE_URL: urlOf(connection), DATA_DIR: folder })

/** Starts a command as an operator does, and ends it so long after it has begun. */
async function runAndEnd(
  signal: 'SIGKILL' | 'SIGINT',
  args: readonly string[],
  env: Record<string, string>,
  hasBegun: () => Promise<boolean> | boolean,
  ms: number,
): Promise<number | null> {
  const program = join(packageRoot, 'dist/whole-loyalty-wallet.js')
  const child = spawn(process.execPath, [program, ...args], { env, stdio: 'ignore' })
  const exit = once(child, 'exit')
  while (child.exitCode === null && !(await hasBegun())) await sleep(1)
  await sleep(ms)
  child.kill(signal)
  await exit
  return child.exitCode
}

const moments = (...first: number[]) => [
  ...first,
  ...Array.from({ length: (effort - 1) * first.length }, () => Math.random() * 2 * first.at(-1)!),
]

test.runIf(isFull)('killed at any point, a backup leaves no file that passes for a whole one', async () => {
  const env = envOf(source)
  let killed = 0
  for (const [round, ms] of moments(0, 15, 60).entries()) {
    const file = join(folder, `killed-${round}.lwb`)
    await runAndEnd('SIGKILL', ['backup', file], env, () => existsSync(`${file}.partial`), ms)
    if (existsSync(file)) {
      expect(await runForJson(['backup', 'verify', file], env)).toMatchObject({ code: 0, ok: true })
      continue
    }
    killed++
    expect(await runForJson(['backup', 'verify', `${file}.partial`], env)).toMatchObject({
      code: 1,
      error: { message: expect.stringMatching(/is not a backup|is damaged/) },
    })
  }
  expect(killed).toBeGreaterThan(0)
  const again = join(folder, 'killed-0.lwb')
  if (!existsSync(again)) expect(await runForJson(['backup', again], env)).toMatchObject({ code: 0 })
  expect(existsSync(`${again}.partial`)).toBe(false)
})

test('without its connection, a backup ends, says so and leaves no file', async () => {
  const file = join(folder, 'cut-off.lwb')
  const ended = runForJson(['backup', file], envOf(source))
  const isCut = async () => {
    const { rows: cut } = await source.pool.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE application_name = 'loyalty-wallet backup' AND datname = current_database()`,
    )
    return cut.length > 0
  }
  while (!existsSync(`${file}.partial`)) await sleep(1)
  expect(await isCut()).toBe(true)
  expect(await ended).toMatchObject({ code: 1, error: { code: 'database_unreachable' } })
  expect([existsSync(file), existsSync(`${file}.partial`)]).toEqual([false, false])
})

test('interrupted, a backup removes what it has written', async () => {
  const file = join(folder, 'interrupted.lwb')
  const partial = `${file}.partial`
  const code = await runAndEnd('SIGINT', ['backup', file], envOf(source), () => existsSync(partial), 0)
  expect([code, existsSync(file), existsSync(partial)]).toEqual([130, false, false])
})

test.runIf(isFull)('killed at any point, a restore has restored nothing, and runs again', async () => {
  const file = join(folder, 'whole.lwb')
  await runForJson(['backup', file], envOf(source))
  const client = createClient(target.connection, { applicationName: 'test' })
  await client.connect()
  const ask = async (text: string) => (await client.query(text)).rows[0].found
  const isRestoring = () =>
    ask(`SELECT EXISTS (SELECT FROM pg_stat_activity WHERE application_name = 'loyalty-wallet restore'
         AND datname = current_database() AND xact_start IS NOT NULL) AS found`)
  try {
    for (const ms of moments(0, 100, 250)) {
      while (await isRestoring()) await sleep(5)
      await runAndEnd('SIGKILL', ['restore', file], envOf(target), isRestoring, ms)
      expect(await ask(`SELECT to_regclass('organizations') IS NOT NULL AS found`)).toBe(false)
    }
  } finally {
    await client.end()
  }
  expect(await runForJson(['restore', file], envOf(target))).toMatchObject({ code: 0, ok: true })
  const { rows: found } = await target.pool.query('SELECT count(*) FROM events')
  expect(found[0].count).toBe(rows)
})
