import { execFile } from 'node:child_process'
import { access, constants } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { versionOf } from '../support/test-target.ts'

/** What the cluster is made of. The project needs none of them, so they come from PATH or from settings. */
export interface Programs {
  readonly patroni: string
  readonly etcd: string
  readonly haproxy: string
  /** The folder of `postgres`, `initdb`, `pg_basebackup` and `pg_rewind`. */
  readonly postgresBin: string
}

/** Folders that hold programs and are often missing from the PATH of an ordinary user. */
const moreFolders = ['/usr/sbin', '/usr/local/sbin']

export async function findPrograms(): Promise<Programs> {
  const missing: string[] = []
  const find = async (setting: string, name: string) => {
    const path = process.env[setting] ?? (await findInPath(name))
    if (path !== undefined && (await isProgram(path))) return path
    missing.push(process.env[setting] ? `${setting}=${path} is not a program` : `${name} (or set ${setting})`)
    return ''
  }
  const patroni = await find('PATRONI', 'patroni')
  const etcd = await find('ETCD', 'etcd')
  const haproxy = await find('HAPROXY', 'haproxy')
  const { postgresBin, lacking } = await findPostgres(['postgres', 'initdb', 'pg_basebackup', 'pg_rewind'])
  missing.push(...lacking)
  if (missing.length === 0) return { patroni, etcd, haproxy, postgresBin }
  throw new Error(
    `The failover test needs programs that were not found:\n  ${missing.join('\n  ')}\n` +
      'On Debian: apt-get install --no-install-recommends patroni etcd-server haproxy postgresql',
  )
}

/** The folder of the programs of a PostgreSQL that has the extension. */
export async function findPostgresWithCitus(): Promise<string> {
  const { postgresBin, lacking } = await findPostgres(['postgres', 'initdb', 'pg_basebackup', 'pg_config'])
  if (lacking.length === 0) {
    const { stdout } = await promisify(execFile)(join(postgresBin, 'pg_config'), ['--sharedir'])
    const extension = join(stdout.trim(), 'extension', 'citus.control')
    if (await isThere(extension)) return postgresBin
    lacking.push(`the extension citus (${extension}); install it, or set POSTGRES_BIN to another PostgreSQL`)
  }
  throw new Error(`The failover test of a cluster lacks:\n  ${lacking.join('\n  ')}`)
}

async function findPostgres(names: readonly string[]): Promise<{ postgresBin: string; lacking: string[] }> {
  const postgresBin = process.env.POSTGRES_BIN ?? (await askPgConfig()) ?? ''
  const lacking: string[] = []
  for (const name of names)
    if (!(await isProgram(join(postgresBin, name))))
      lacking.push(`${name} (set POSTGRES_BIN to the folder of PostgreSQL's programs)`)
  return { postgresBin, lacking }
}

export async function versionsOf(programs: Programs): Promise<Record<string, string>> {
  const { patroni, etcd, haproxy, postgresBin } = programs
  return {
    PostgreSQL: await versionOf(join(postgresBin, 'postgres')),
    Patroni: await versionOf(patroni),
    etcd: await versionOf(etcd),
    HAProxy: await versionOf(haproxy, '-v'),
  }
}

async function findInPath(name: string): Promise<string | undefined> {
  const folders = [...(process.env.PATH ?? '').split(delimiter), ...moreFolders]
  for (const folder of folders) if (await isProgram(join(folder, name))) return join(folder, name)
  return undefined
}

const isProgram = (path: string) => isThere(path, constants.X_OK)

async function isThere(path: string, mode: number = constants.F_OK): Promise<boolean> {
  return access(path, mode).then(
    () => true,
    () => false,
  )
}

async function askPgConfig(): Promise<string | undefined> {
  const asked = await promisify(execFile)('pg_config', ['--bindir']).catch(() => undefined)
  return asked?.stdout.trim()
}
