import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFile, mkdtemp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { packageRoot } from '../../src/package-root.ts'
import { urlOf } from '../support/checkout.ts'
import { isFull } from '../support/full.ts'
import { dayAgo, type OldShop, openOldShop, rowsInDatabase, rowsInFiles } from '../support/old-shop.ts'
import { runCommand, runForJson } from '../support/run-command.ts'
import { startTestService, type TestService } from '../support/service.ts'

let service: TestService
let old: OldShop
let directory: string
let own: string
let env: Record<string, string>
let before: Map<string, string>

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'lw-archive-'))
  service = await startTestService()
  env = { DATABASE_URL: urlOf(service.database.connection) }
  old = await openOldShop(service, isFull ? { customers: 8, months: 26 } : { customers: 6, months: 22 })
  own = join(directory, old.shop.merchant.id)
  before = await rowsInDatabase(service)
})
afterAll(async () => {
  await service.close()
  await rm(directory, { recursive: true, force: true })
})

/** Small steps where a run is ended in the middle of them; in the quick check the others take what there is. */
const args = (to: string, step = isFull ? '2' : '20') => {
  return ['archive', '--before', dayAgo(405), '--to', to, '--step', step]
}
const manifest = () => join(own, 'manifest.ndjson')
const linesOf = async () =>
  (await readFile(manifest(), 'utf8').catch(() => '')).split('\n').filter((line) => line !== '')
const filesIn = async () => (await readdir(own)).filter((name) => name.endsWith('.gz')).sort()

/** Starts the command as an operator does, and ends it after so many more files and milliseconds. */
async function runAndEnd(
  signal: 'SIGKILL' | 'SIGINT',
  files: number,
  ms: number,
): Promise<[number | null, string]> {
  const from = (await linesOf()).length
  const child = spawn(
    process.execPath,
    [join(packageRoot, 'dist/whole-loyalty-wallet.js'), ...args(directory, isFull ? '2' : '1')],
    { env, stdio: ['ignore', 'pipe', 'pipe'] },
  )
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (part) => (said += part))
  const exit = once(child, 'exit')
  while (child.exitCode === null && (await linesOf()).length < from + files) await sleep(1)
  await sleep(ms)
  child.kill(signal)
  await exit
  return [child.exitCode, said]
}

/** Every row is in the database or in a complete file, as it was. */
async function expectNothingLost(): Promise<void> {
  const live = await rowsInDatabase(service)
  // A file may be complete and committed, and not in the manifest yet.
  const filed = await rowsInFiles(directory, { isComplete: true })
  const lost = [...before].filter(([name, row]) => live.get(name) !== row && filed.get(name) !== row)
  expect(lost).toEqual([])
  expect([...live.keys()].filter((name) => !before.has(name))).toEqual([])
}

test('interrupted, it ends after the current step and says how to go on', async () => {
  const [code, said] = await runAndEnd('SIGINT', 1, 0)
  expect(code).toBe(130)
  expect(said).toMatch(/Ending after this step.*Ended before everything was moved. Run the command again/s)
  expect(await runForJson(['archive', 'verify', directory], env)).toMatchObject({ code: 0, ok: true })
  await expectNothingLost()
})

test('killed again and again, it loses nothing and doubles nothing', async () => {
  for (const [round, ms] of (isFull ? [0, 4, 9, 15, 22, 30] : [9]).entries()) {
    await runAndEnd('SIGKILL', 1 + (round % 3), ms)
    await expectNothingLost()
    expect(await old.shop.integrity()).toMatchObject({ ok: true, problems: [] })
  }
  const filesBefore = (await linesOf()).length
  expect(filesBefore).toBeGreaterThan(isFull ? 5 : 1)
  const rest = await runForJson(args(directory), env)
  expect(rest).toMatchObject({ code: 0, isComplete: true })
  expect(rest.data[0].files).toBeGreaterThan(0)
  const live = await rowsInDatabase(service)
  const filed = await rowsInFiles(directory)
  for (const [name, row] of before) expect(live.get(name) ?? filed.get(name), name).toBe(row)
  expect(live.size + filed.size).toBe(before.size)
  expect(await filesIn()).toHaveLength((await linesOf()).length)
  expect(await runForJson(['archive', 'verify', directory], env)).toMatchObject({
    code: 0,
    ok: true,
    rows: filed.size,
  })
  expect(await old.shop.integrity()).toMatchObject({ ok: true, problems: [] })
})

test('a manifest that lacks its last line, or the end of it, is completed', async () => {
  const whole = await readFile(manifest(), 'utf8')
  for (const missing of [Buffer.byteLength((await linesOf()).at(-1)!) + 1, 20]) {
    await truncate(manifest(), Buffer.byteLength(whole) - missing)
    expect((await runForJson(['archive', 'verify', directory], env)).ok).toBe(missing !== 20)
    expect(await runForJson(args(directory), env)).toMatchObject({ code: 0, data: [{ files: 0 }] })
    expect(await readFile(manifest(), 'utf8')).toBe(whole)
  }
})

test('a file that was never committed is overwritten, and one of another database is not', async () => {
  const next = `${String((await linesOf()).length + 1).padStart(6, '0')}.ndjson.gz`
  const later = [...args(directory).slice(0, 2), dayAgo(401), ...args(directory).slice(3)]
  await writeFile(join(own, next), 'left by a run that was interrupted')
  const foreign = JSON.stringify({ file: next, rows: {} })
  const known = await readFile(manifest(), 'utf8')
  await appendFile(manifest(), `${foreign}\n`)
  // Something to archive: a new event from the time before.
  const { pool } = service.database
  const { rows } = await pool.query('SELECT org_id, position FROM events ORDER BY position LIMIT 1')
  await pool.query('UPDATE events SET created_at = $3 WHERE org_id = $1 AND position = $2', [
    rows[0].org_id,
    rows[0].position,
    dayAgo(500),
  ])
  expect((await runCommand(later, env)).stderr).toMatch(
    /belongs to another database.*Choose another directory/,
  )
  expect(await readFile(join(own, next), 'utf8')).toBe('left by a run that was interrupted')
  await writeFile(manifest(), known)
  expect(await runForJson(later, env)).toMatchObject({ code: 0, data: [{ files: 1, rows: 1 }] })
  expect(await runForJson(['archive', 'verify', directory], env)).toMatchObject({ code: 0, ok: true })
})

test('a directory without an archive, and a damaged manifest, are named', async () => {
  expect(await runForJson(['archive', 'verify', join(directory, 'none')], env)).toMatchObject({
    code: 1,
    problems: [expect.stringMatching('none has no archive')],
  })
  const known = await readFile(manifest(), 'utf8')
  await writeFile(manifest(), `x${known}`)
  expect((await runCommand(['archive', 'verify', directory], env)).stderr).toMatch(
    'is damaged. Restore it from a copy',
  )
  expect((await runCommand(args(directory), env)).stderr).toMatch('is damaged. Restore it from a copy')
  await writeFile(manifest(), known)
})

test('a damaged or missing file is found', async () => {
  const [first, second] = await filesIn()
  const bytes = await readFile(join(own, first!))
  bytes[30]! ^= 1
  await writeFile(join(own, first!), bytes)
  await rm(join(own, second!))
  expect(await runForJson(['archive', 'verify', directory], env)).toMatchObject({
    code: 1,
    ok: false,
    problems: [
      expect.stringMatching(`${first}: the file has changed since it was written`),
      expect.stringMatching(`${second}: the file is missing`),
    ],
  })
})
