/** A PostgreSQL of a test's own, for what would disturb the others on the one that they share. */
import { chmodSync, chownSync, cpSync, mkdirSync } from 'node:fs'
import { chmod, mkdtemp, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import {
  type EmbeddedPostgres,
  startEmbeddedPostgres,
} from '../../src/embedded-postgres/embedded-postgres.ts'

/** Begins the name of a folder with a server, before the number of the process that removes it. */
export const folderPrefix = 'lw-test-'

/** A file system in memory, which Linux has. */
export const inMemory = '/dev/shm'

/** The server looks through all of its buffers whenever a table or a database goes, and tests have little in them. */
export const fewBuffers = { shared_buffers: '64MB' }

/** Test data need not survive a power failure. */
export const quickSettings = { ...fewBuffers, fsync: 'off', full_page_writes: 'off' }

/** A folder for servers that need not be on a disk. */
export async function makeServerFolder(): Promise<string> {
  const folder = await mkdtemp(join(await chooseParent(), `${folderPrefix}${process.pid}-`))
  // Under root, PostgreSQL runs as another user, who needs access to this folder.
  await chmod(folder, 0o755)
  return folder
}

/**
 * In memory, where there is room: a database is a thousand files, and each test file creates and drops some. On a disk,
 * that was a sixth of what the server had to do.
 */
async function chooseParent(): Promise<string> {
  const found = await statfs(inMemory).catch(() => undefined)
  return found && found.bavail * found.bsize > 4 * 1024 ** 3 ? inMemory : tmpdir()
}

/** The files of a server that nobody has used, if this run has them. */
const unused = 'TEST_UNUSED_SERVER'

/**
 * Creates a server whose files others copy: initdb takes a second of a processor, and a copy a tenth. An environment
 * variable tells everything that the run starts where they are.
 */
export async function prepareUnusedServer(folder: string): Promise<void> {
  const server = await startEmbeddedPostgres({ folder, settings: quickSettings })
  await server.stop()
  process.env[unused] = folder
}

/**
 * PostgreSQL refuses a folder that others may read, and from Node.js 22 on, a copy has the rights of a new folder. Some
 * files keep their owner there; the start gives all of them to PostgreSQL's user if this one is ours.
 */
export function copyServerFolder(from: string, to: string, filter?: (path: string) => boolean): void {
  cpSync(from, to, { recursive: true, ...(filter && { filter }) })
  chmodSync(to, 0o700)
  if (process.getuid && process.getgid) chownSync(join(to, 'PG_VERSION'), process.getuid(), process.getgid())
}

/** Lets the next start on this folder find a server that was started before and has nothing in it. */
export function copyUnusedServer(folder: string): void {
  const from = process.env[unused]
  if (from === undefined) return
  mkdirSync(dirname(folder), { recursive: true })
  // A thousand files: to copy them with promises takes four times as much.
  copyServerFolder(from, folder)
}

export async function startOwnServer(
  folder: string,
  settings: Record<string, string> = {},
): Promise<EmbeddedPostgres> {
  copyUnusedServer(folder)
  return startEmbeddedPostgres({ folder, settings })
}
