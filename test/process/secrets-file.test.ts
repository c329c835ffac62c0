import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { loadOrCreateSecrets, updateSecrets } from '../../src/app/secrets-file.ts'

let folder: string
let dataDir: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lw-secrets-'))
  dataDir = join(folder, 'data')
})
afterEach(() => rm(folder, { recursive: true }))

test('secrets are made once, long, private, and stay the same', async () => {
  const first = await loadOrCreateSecrets(dataDir)
  expect(first.jwtSecret.length).toBeGreaterThanOrEqual(32)
  expect(first.adminToken.length).toBeGreaterThanOrEqual(32)
  expect(await loadOrCreateSecrets(dataDir)).toEqual(first)
  expect((await stat(join(dataDir, 'secrets.json'))).mode & 0o777).toBe(0o600)
  expect(await readdir(dataDir)).toEqual(['secrets.json'])
})

test('all who start at once get the same secrets', async () => {
  const all = await Promise.all(Array.from({ length: 8 }, () => loadOrCreateSecrets(dataDir)))
  expect(new Set(all.map((secrets) => JSON.stringify(secrets))).size).toBe(1)
})

test('members others add live beside ours, and no change made at the same time is lost', async () => {
  const { jwtSecret } = await loadOrCreateSecrets(dataDir)
  await Promise.all(Array.from({ length: 8 }, (_, n) => updateSecrets(dataDir, { [`member${n}`]: n })))
  const secrets = await loadOrCreateSecrets(dataDir)
  expect(secrets).toMatchObject({ jwtSecret, member0: 0, member7: 7 })
})

test('a file that became readable for others is closed again', async () => {
  await loadOrCreateSecrets(dataDir)
  await chmod(join(dataDir, 'secrets.json'), 0o644)
  await loadOrCreateSecrets(dataDir)
  expect((await stat(join(dataDir, 'secrets.json'))).mode & 0o777).toBe(0o600)
})

test('a damaged file is reported and not replaced', async () => {
  await loadOrCreateSecrets(dataDir)
  await writeFile(join(dataDir, 'secrets.json'), '{"jwtSecret"')
  await expect(loadOrCreateSecrets(dataDir)).rejects.toThrow('is damaged')
  await expect(updateSecrets(dataDir, { a: 1 })).rejects.toThrow('is damaged')
  expect(await readFile(join(dataDir, 'secrets.json'), 'utf8')).toBe('{"jwtSecret"')
})
