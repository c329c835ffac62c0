import { randomBytes } from 'node:crypto'
import { chmod, mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { takeProcessLock } from '../embedded-postgres/process-lock.ts'

/** Content of `secrets.json`: our two secrets, and properties that other code has added. */
export interface StoredSecrets {
  jwtSecret: string
  adminToken: string
  [property: string]: unknown
}

/**
 * The secrets of an installation without configured ones, generated at the first start and kept from then on.
 * Two processes that start concurrently get the same ones.
 */
export async function loadOrCreateSecrets(dataDir: string): Promise<StoredSecrets> {
  return (await readSecrets(dataDir)) ?? changeSecrets(dataDir, {})
}

/** Sets properties of the file, keeps the others, and returns all of them. */
export function updateSecrets(dataDir: string, patch: Record<string, unknown>): Promise<StoredSecrets> {
  return changeSecrets(dataDir, patch)
}

async function changeSecrets(dataDir: string, patch: Record<string, unknown>): Promise<StoredSecrets> {
  await mkdir(dataDir, { recursive: true })
  return withLock(dataDir, async () => {
    const present = (await readSecrets(dataDir)) ?? {
      jwtSecret: randomBytes(32).toString('hex'),
      adminToken: `lwa_${randomBytes(32).toString('base64url')}`,
    }
    const secrets: StoredSecrets = { ...present, ...patch }
    await writeWhole(pathIn(dataDir), `${JSON.stringify(secrets, undefined, 2)}\n`, dataDir)
    return secrets
  })
}

async function readSecrets(dataDir: string): Promise<StoredSecrets | undefined> {
  const path = pathIn(dataDir)
  const text = await readFile(path, 'utf8').catch((error) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  if (text === undefined) return undefined
  const secrets = parse(text)
  if (typeof secrets?.jwtSecret !== 'string' || typeof secrets.adminToken !== 'string') {
    // New ones would silently invalidate every token.
    throw new Error(
      `${path} is damaged: it must be JSON with jwtSecret and adminToken. Restore it from a backup, or delete it to get new secrets; tokens and credentials made with the old ones then stop working.`,
    )
  }
  if (((await stat(path)).mode & 0o077) !== 0) await chmod(path, 0o600)
  return secrets as StoredSecrets
}

function parse(text: string): Record<string, unknown> | undefined {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Replaces the file atomically: even after a power failure it is either the old one or the new one. */
async function writeWhole(path: string, text: string, folder: string): Promise<void> {
  const unfinished = `${path}.${process.pid}`
  await rm(unfinished, { force: true })
  const file = await open(unfinished, 'wx', 0o600)
  try {
    await file.writeFile(text)
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(unfinished, path)
  if (process.platform === 'win32') return
  const parent = await open(folder, 'r')
  try {
    await parent.sync()
  } finally {
    await parent.close()
  }
}

/** One writer at a time, across processes: concurrent changes of different properties must both survive. */
async function withLock<T>(dataDir: string, work: () => Promise<T>): Promise<T> {
  const lock = await takeProcessLock(pathIn(dataDir), 10_000)
  if ('heldBy' in lock) {
    throw new Error(`${pathIn(dataDir)} is being written by process ${lock.heldBy}, which has not finished.`)
  }
  try {
    return await work()
  } finally {
    await lock.release()
  }
}

function pathIn(dataDir: string): string {
  return join(dataDir, 'secrets.json')
}
