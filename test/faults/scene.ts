import { type ChildProcess, execFile, fork } from 'node:child_process'
import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { createClient, type EmbeddedConnection } from '../../src/database/pool.ts'
import type { EmbeddedPostgres } from '../../src/embedded-postgres/embedded-postgres.ts'
import { packageRoot } from '../../src/package-root.ts'
import { type Checkout, makeCheckout } from '../support/checkout.ts'
import { createDatabaseOnServers, isOnCluster } from '../support/cluster.ts'
import { startOwnServer } from '../support/own-server.ts'

const programs = ['load-child', 'fault-child', 'clock-child'] as const

/** Where storms happen: the service as it is shipped, the programs of the storm, and PostgreSQLs to harm. */
export interface Scene {
  readonly checkout: Checkout
  /** For logs and other small files of a storm. */
  readonly folder: string
  programFile(name: (typeof programs)[number]): string
  /** One of the programs, with a channel to talk to it. */
  fork(name: (typeof programs)[number]): ChildProcess
  /** A new database on a PostgreSQL that is not the service's own, and that storms share. */
  newDatabase(): Promise<EmbeddedConnection>
  /** A folder on a small file system of its own; undefined where mounting is not allowed. */
  mountSmallDisk(bytes: number): Promise<string | undefined>
  remove(): Promise<void>
}

export async function makeScene(): Promise<Scene> {
  const [checkout, programFolder] = await Promise.all([makeCheckout(), buildPrograms()])
  const folder = await mkdtemp(join(tmpdir(), 'lw-faults-'))
  // As root the database runs as another user, who has to pass through here.
  await chmod(folder, 0o755)
  const children: ChildProcess[] = []
  const mounts: string[] = []
  let server: Promise<EmbeddedPostgres> | undefined
  let databases = 0
  const programFile = (name: string) => join(programFolder, `${name}.js`)
  return {
    checkout,
    folder,
    programFile,
    fork(name) {
      const child = fork(programFile(name), { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
      children.push(child)
      return child
    },
    async newDatabase() {
      const database = `storm_${process.pid}_${++databases}`
      if (isOnCluster) return createDatabaseOnServers(database)
      // With the settings of a real one: what is acknowledged is on disk.
      server ??= startOwnServer(join(folder, 'postgres'))
      const { connection } = await server
      const client = createClient({ ...connection, database: 'postgres' })
      await client.connect()
      await client.query(`CREATE DATABASE ${database}`)
      await client.end()
      return { ...connection, database }
    },
    async mountSmallDisk(bytes) {
      const target = join(folder, `disk-${mounts.length}`)
      await mkdir(target)
      const options = ['-t', 'tmpfs', '-o', `size=${bytes},mode=0755`, 'tmpfs', target]
      const mounted = await promisify(execFile)('mount', options).catch(() => undefined)
      if (mounted) mounts.push(target)
      return mounted && target
    },
    async remove() {
      for (const child of children) child.kill('SIGKILL')
      await checkout.remove()
      await (await server)?.stop()
      for (const target of mounts) await promisify(execFile)('umount', ['--lazy', target])
      for (const path of [folder, programFolder])
        await rm(path, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

/** Node 20 cannot run TypeScript by itself. Inside the package, so that the bundles find what is installed. */
async function buildPrograms(): Promise<string> {
  const outdir = await mkdtemp(join(packageRoot, 'node_modules', '.faults-'))
  await build({
    entryPoints: programs.map((name) => join(packageRoot, 'test', 'faults', `${name}.ts`)),
    outdir,
    outExtension: { '.js': '.js' },
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    target: 'node20',
  })
  return outdir
}
