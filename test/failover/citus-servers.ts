/** A Citus cluster whose servers each have a synchronous standby, on ports of this computer only. */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import { chmod, chown, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { createClient } from '../../src/database/pool.ts'
import { findRunAs, type RunAs } from '../../src/embedded-postgres/run-as.ts'
import { findFreePorts, signalFamily } from './cluster.ts'

const names = ['coordinator', 'worker 1', 'worker 2'] as const

export type ServerName = (typeof names)[number]

/** A server of the cluster: what it is now, and what can take its place. */
export interface CitusServer {
  readonly name: ServerName
  readonly primary: Instance
  readonly standby: Instance
}

export interface Instance {
  readonly folder: string
  readonly port: number
}

export interface CitusServers {
  readonly servers: readonly CitusServer[]
  signal(instance: Instance, signal: NodeJS.Signals): Promise<void>
  /** The standby becomes the primary, and the cluster is told its address. As an operator would do it. */
  replace(server: CitusServer, coordinator: Instance): Promise<void>
  remove(isKept?: boolean): Promise<void>
}

export const database = 'wallet'

/** Logs in without a password: only this computer can reach the ports. */
export const urlOf = (instances: readonly Instance[], name = database) =>
  `postgres://postgres@${instances.map(({ port }) => `127.0.0.1:${port}`).join()}/${name}`

const patienceMs = 60_000

/** Creates the cluster with an empty database, and waits until every standby confirms commits. */
export async function startCitusServers(postgresBin: string, isKept: boolean): Promise<CitusServers> {
  const folder = await mkdtemp(join(tmpdir(), 'lw-citus-failover-'))
  await chmod(folder, 0o755)
  const ports = await findFreePorts(2 * names.length)
  const servers = names.map((name): CitusServer => {
    const instanceOf = (role: string) => ({
      folder: join(folder, `${name}-${role}`.replace(' ', '-')),
      port: ports.pop()!,
    })
    return { name, primary: instanceOf('primary'), standby: instanceOf('standby') }
  })
  const children: ChildProcess[] = []

  async function remove(isKept = false): Promise<void> {
    for (const { primary, standby } of servers)
      for (const { folder } of [primary, standby]) await signalFamily(folder, 'SIGKILL')
    await Promise.all(children.map((child) => (hasEnded(child) ? undefined : once(child, 'exit'))))
    if (isKept) console.log(`The logs are in ${folder}.`)
    else await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })
  }

  try {
    const found = await findRunAs(join(postgresBin, 'postgres'), folder)
    if (!found.ok) throw new Error(`PostgreSQL cannot be run: ${found.reason}.`)
    const { runAs } = found
    if (runAs.owner) await chown(folder, runAs.owner.uid, runAs.owner.gid)
    const programs = { postgresBin, runAs }
    for (const { primary } of servers) await startPrimary(programs, primary, children)
    await joinServers(servers)
    for (const server of servers) await addStandby(programs, server, children)
    return {
      servers,
      signal: ({ folder }, signal) => signalFamily(folder, signal),
      replace: replaceServer,
      remove,
    }
  } catch (error) {
    await remove(isKept)
    throw error
  }
}

interface Programs {
  readonly postgresBin: string
  readonly runAs: RunAs
}

const hasEnded = ({ exitCode, signalCode }: ChildProcess) => exitCode !== null || signalCode !== null

async function runProgram({ postgresBin, runAs }: Programs, name: string, programArgs: string[]) {
  const { file, args, uid, gid } = runAs.wrap(join(postgresBin, name), programArgs)
  await promisify(execFile)(file, args, { cwd: '/', uid, gid })
}

async function startPrimary(programs: Programs, instance: Instance, children: ChildProcess[]) {
  const { folder } = instance
  await runProgram(programs, 'initdb', ['-D', folder, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8'])
  await start(programs, instance, children)
  await query(urlOf([instance], 'postgres'), `CREATE DATABASE ${database}`)
  await query(urlOf([instance]), 'CREATE EXTENSION citus')
}

async function start({ postgresBin, runAs }: Programs, { folder, port }: Instance, children: ChildProcess[]) {
  const settings = {
    port,
    listen_addresses: '127.0.0.1',
    unix_socket_directories: folder,
    shared_preload_libraries: 'citus',
    max_connections: 200,
    max_prepared_transactions: 200,
    max_worker_processes: 32,
    wal_level: 'logical',
    shared_buffers: '128MB',
    'citus.node_conninfo': 'sslmode=disable',
    'citus.enable_statistics_collection': 'off',
  }
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const { file, args, uid, gid } = runAs.wrap(join(postgresBin, 'postgres'), ['-D', folder, ...flags])
  const output = openSync(`${folder}.log`, 'a')
  children.push(spawn(file, args, { cwd: '/', uid, gid, stdio: ['ignore', output, output] }))
  closeSync(output)
  await until(`the server in ${folder} accepts connections`, () =>
    query(urlOf([{ folder, port }], 'postgres'), 'SELECT 1').then(() => true),
  )
}

async function joinServers([coordinator, ...workers]: readonly CitusServer[]): Promise<void> {
  const url = urlOf([coordinator!.primary])
  await query(url, `SELECT citus_set_coordinator_host('127.0.0.1', ${coordinator!.primary.port})`)
  for (const { primary } of workers) await query(url, `SELECT citus_add_node('127.0.0.1', ${primary.port})`)
}

async function addStandby(programs: Programs, { primary, standby }: CitusServer, children: ChildProcess[]) {
  const source = ['-h', '127.0.0.1', '-p', String(primary.port), '-U', 'postgres']
  await runProgram(programs, 'pg_basebackup', ['-D', standby.folder, '-R', '-c', 'fast', ...source])
  await start(programs, standby, children)
  // Only now, and only here: nothing could be committed before, and the standby has none of its own.
  await query(urlOf([primary], 'postgres'), "ALTER SYSTEM SET synchronous_standby_names = '*'")
  await query(urlOf([primary], 'postgres'), 'SELECT pg_reload_conf()')
  await until(`the standby in ${standby.folder} confirms commits`, async () => {
    const rows = await query(urlOf([primary], 'postgres'), 'SELECT sync_state FROM pg_stat_replication')
    return rows.some(({ sync_state }) => sync_state === 'sync')
  })
}

async function replaceServer({ name, primary, standby }: CitusServer, coordinator: Instance): Promise<void> {
  await query(urlOf([standby], 'postgres'), 'SELECT pg_promote()')
  if (name === 'coordinator') {
    await query(urlOf([standby]), `SELECT citus_set_coordinator_host('127.0.0.1', ${standby.port})`)
    return
  }
  await query(
    urlOf([coordinator]),
    `SELECT citus_update_node(nodeid, '127.0.0.1', ${standby.port}, force => true, lock_cooldown => 1000)
     FROM pg_dist_node WHERE nodeport = ${primary.port}`,
  )
}

async function until(what: string, isSo: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + patienceMs
  for (;;) {
    if (await isSo().catch(() => false)) return
    if (Date.now() > deadline) throw new Error(`Waited in vain until ${what}.`)
    await sleep(100)
  }
}

export async function query(url: string, text: string) {
  const options = { applicationName: 'failover test', isDistributed: true }
  const client = createClient(url, { ...options, statementTimeoutMs: patienceMs, queryTimeoutMs: patienceMs })
  await client.connect()
  try {
    return (await client.query(text)).rows
  } finally {
    await client.end()
  }
}
