import { execFile } from 'node:child_process'
import { chown, lchown, mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { notOurFolder } from './postmaster-file.ts'
import { type Owner, type RunAs, spawnPlace } from './run-as.ts'

export const superuser = 'loyalty_wallet'

export interface ClusterRequest {
  folder: string
  initdb: string
  major: number
  runAs: RunAs
  /** Set where clients connect over TCP, which is only on Windows. */
  password?: string
}

/**
 * Creates the data folder if there is none yet. It is prepared under a temporary name and renamed only once
 * it is complete and on disk, so that a process killed halfway leaves nothing that looks like a database. The
 * caller holds the folder's lock.
 */
export async function createCluster(request: ClusterRequest): Promise<'created' | 'existed'> {
  const { folder, runAs } = request
  const found = await inspectFolder(folder)
  if (found !== 'empty') {
    refuseOtherMajor(folder, found.major, request.major)
    return 'existed'
  }
  const parent = dirname(folder)
  await removeUnfinished(parent, basename(folder))
  const unfinished = `${folder}.new-${process.pid}`
  await mkdir(unfinished, { mode: 0o700 })
  try {
    if (runAs.owner) await chown(unfinished, runAs.owner.uid, runAs.owner.gid)
    await runInitdb(request, unfinished)
    await rename(unfinished, folder)
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true })
    throw error
  }
  await syncFolder(parent)
  return 'created'
}

/** Changes the owner of all files of the cluster to the user the server runs as. */
export async function takeOwnership(folder: string, owner: Owner): Promise<void> {
  const marker = join(folder, 'PG_VERSION')
  const { uid } = await stat(marker)
  if (uid === owner.uid) return
  const entries = await readdir(folder, { recursive: true })
  for (const entry of entries) {
    if (entry !== 'PG_VERSION') await lchown(join(folder, entry), owner.uid, owner.gid)
  }
  await lchown(folder, owner.uid, owner.gid)
  // Last, because the next start looks at this one if the current start is interrupted.
  await lchown(marker, owner.uid, owner.gid)
}

async function inspectFolder(folder: string): Promise<'empty' | { major: number }> {
  const names = await readdir(folder).catch((error) => {
    if (error.code === 'ENOENT') return []
    if (error.code === 'EACCES') throw notOurFolder(folder)
    throw error
  })
  if (names.length === 0) return 'empty'
  const version = await readFile(join(folder, 'PG_VERSION'), 'utf8').catch(() => undefined)
  if (version === undefined) {
    throw new Error(
      `${folder} is not empty and not a PostgreSQL data folder. Set DATA_DIR to another folder, or empty this one.`,
    )
  }
  return { major: Number.parseInt(version, 10) }
}

function refuseOtherMajor(folder: string, found: number, running: number): void {
  if (found === running) return
  throw new Error(
    `The data in ${folder} was written by PostgreSQL ${found}, and this is PostgreSQL ${running}. Set POSTGRES_BIN to the bin folder of a PostgreSQL ${found}, make a backup with it (loyalty-wallet backup FILE), and restore that into a new DATA_DIR (loyalty-wallet restore FILE).`,
  )
}

async function runInitdb(request: ClusterRequest, target: string): Promise<void> {
  const { major, password } = request
  const passwordFile = `${target}.password`
  // Since version 17 PostgreSQL has its own C.UTF-8, so that indexes survive an upgrade of the system's
  // libraries. Before that, only the collation can be made independent of the system.
  const locale =
    major >= 17
      ? ['--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8']
      : ['--locale=C', '--lc-ctype=C.UTF-8']
  const auth =
    password === undefined
      ? // Any process that reaches the socket may log in: only the server's user may enter its folder, and
        // that user could read the data anyway.
        ['--auth-local=trust', '--auth-host=reject']
      : ['--auth=scram-sha-256', `--pwfile=${passwordFile}`]
  const args = ['-D', target, '-U', superuser, '--encoding=UTF8', ...locale, ...auth]
  try {
    if (password !== undefined) await writeFile(passwordFile, password, { mode: 0o600 })
    await run(request.runAs, request.initdb, [...args, '--data-checksums', '--no-instructions'])
  } finally {
    if (password !== undefined) await rm(passwordFile, { force: true })
  }
}

function run(runAs: RunAs, program: string, programArgs: string[]): Promise<void> {
  const { file, args, uid, gid } = runAs.wrap(program, programArgs)
  return new Promise((done, fail) => {
    execFile(file, args, { ...spawnPlace, uid, gid }, (error, stdout, stderr) => {
      if (!error) return done()
      const reason = stderr.trim() || stdout.trim() || error.message
      fail(
        new Error(
          `The embedded PostgreSQL could not create its data: ${reason}. Fix that, or set DATABASE_URL to a running PostgreSQL.`,
        ),
      )
    })
  })
}

async function removeUnfinished(parent: string, name: string): Promise<void> {
  for (const entry of await readdir(parent)) {
    if (!entry.startsWith(`${name}.new-`)) continue
    // The initdb of a process that was just killed may still be writing here.
    await rm(join(parent, entry), { recursive: true, force: true, maxRetries: 20, retryDelay: 50 })
  }
}

async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
