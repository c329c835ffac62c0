import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import { chmod, chown, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { readPostmasterFile } from '../../src/embedded-postgres/postmaster-file.ts'
import { findRunAs, type RunAs } from '../../src/embedded-postgres/run-as.ts'
import { type DatabaseProxy, startProxy } from '../faults/proxy.ts'
import { haproxyConfig, type NodePorts, patroniConfig } from './configs.ts'
import type { Programs } from './programs.ts'

export interface Node {
  readonly name: string
  readonly folder: string
  readonly ports: NodePorts
  readonly cables: Readonly<Record<keyof NodePorts['outside'], DatabaseProxy>>
  patroni?: ChildProcess
}

export interface Cluster {
  readonly folder: string
  readonly nodes: readonly Node[]
  /** Where HAProxy leads to the primary. */
  readonly primaryPort: number
  /** Until all nodes are up, and one is the primary with a standby, which is synchronous if there are such. */
  waitUntilHealthy(): Promise<{ leader: Node; standby: Node }>
  start(node: Node): Promise<void>
  /** Sends a signal to every process of the node: Patroni, PostgreSQL and its backends. */
  signal(node: Node, signal: NodeJS.Signals): Promise<void>
  /** Tells Patroni to stop, which stops its PostgreSQL first. */
  stop(node: Node): Promise<void>
  /**
   * Between the node and everybody else, nothing comes through any more; or all but the service that knows it, as
   * if the two stood side by side.
   */
  cutOff(node: Node, from: 'everybody' | 'the others'): void
  reconnect(node: Node): void
  /** Ends everything that was started, and removes its files unless they are to be kept. */
  remove(isKept?: boolean): Promise<void>
}

const healthTimeoutMs = 180_000

export interface ClusterOptions {
  /** How many nodes. */
  readonly size: number
  readonly isSynchronous: boolean
  /** The logs stay, also if it cannot be started. */
  readonly isKept: boolean
}

/** Nodes, one etcd and one HAProxy in a temporary folder, all on ports of this computer only. */
export async function startCluster(
  programs: Programs,
  { size, isSynchronous, isKept }: ClusterOptions,
): Promise<Cluster> {
  const folder = await mkdtemp(join(tmpdir(), 'lw-failover-'))
  // PostgreSQL refuses to run as root, so its user has to pass through here.
  await chmod(folder, 0o755)
  const children: ChildProcess[] = []
  const nodes: Node[] = []

  const launch = (name: string, file: string, args: string[], options: object = {}): ChildProcess => {
    const output = openSync(join(folder, `${name}.log`), 'a')
    const env = { PATH: process.env.PATH, LC_ALL: 'C', ETCD_UNSUPPORTED_ARCH: process.arch }
    const child = spawn(file, args, { stdio: ['ignore', output, output], env, cwd: folder, ...options })
    closeSync(output)
    child.on('error', (error) => console.error(`${name} could not be started: ${error.message}`))
    children.push(child)
    return child
  }

  async function remove(isKept = false): Promise<void> {
    for (const node of nodes) await signalNode(node, 'SIGKILL')
    for (const child of children) {
      if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) continue
      const gone = once(child, 'exit')
      child.kill('SIGKILL')
      await gone
    }
    if (isKept) console.log(`The logs are in ${folder}.`)
    else await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })
  }

  try {
    const runAs = await findUser(programs, folder)
    const [etcdPort = 0, peerPort = 0, primaryPort = 0, ...others] = await findFreePorts(3 + 6 * size)
    startEtcd(programs, folder, etcdPort, peerPort, launch)
    for (let i = 1; i <= size; i++) nodes.push(await makeNode(`node${i}`, folder, others, etcdPort, runAs))
    const start = async (node: Node) => {
      const config = join(node.folder, 'patroni.json')
      const settings = patroniConfig({ ...node, postgresBin: programs.postgresBin, isSynchronous })
      await writeFile(config, JSON.stringify(settings, undefined, 2))
      const { file, args, uid, gid } = runAs.wrap(programs.patroni, [config])
      node.patroni = launch(node.name, file, args, { uid, gid, cwd: node.folder })
    }
    for (const node of nodes) await start(node)
    const config = join(folder, 'haproxy.cfg')
    await writeFile(config, haproxyConfig(primaryPort, nodes))
    launch('haproxy', programs.haproxy, ['-db', '-f', config])
    return {
      folder,
      nodes,
      primaryPort,
      waitUntilHealthy: () => waitUntilHealthy(nodes, isSynchronous ? 'sync_standby' : 'replica'),
      start,
      signal: signalNode,
      async stop(node) {
        const gone = once(node.patroni!, 'exit')
        node.patroni!.kill('SIGTERM')
        await gone
      },
      cutOff({ cables: { direct, ...cables } }, from) {
        for (const cable of Object.values(cables)) cable.become({ kind: 'stall' })
        if (from === 'everybody') direct.become({ kind: 'stall' })
      },
      reconnect({ cables }) {
        for (const cable of Object.values(cables)) cable.become({ kind: 'pass' })
      },
      remove,
    }
  } catch (error) {
    await remove(isKept)
    throw error
  }
}

async function findUser({ postgresBin }: Programs, folder: string): Promise<RunAs> {
  const found = await findRunAs(join(postgresBin, 'postgres'), join(folder, 'node1'))
  if (found.ok) return found.runAs
  throw new Error(`PostgreSQL cannot be run: ${found.reason}. Run the test as an ordinary user.`)
}

function startEtcd(
  { etcd }: Programs,
  folder: string,
  port: number,
  peerPort: number,
  launch: (name: string, file: string, args: string[]) => void,
): void {
  const [own, peers] = [`http://127.0.0.1:${port}`, `http://127.0.0.1:${peerPort}`]
  const settings = {
    name: 'etcd',
    'data-dir': join(folder, 'etcd'),
    'listen-client-urls': own,
    'advertise-client-urls': own,
    'listen-peer-urls': peers,
    'initial-advertise-peer-urls': peers,
    'initial-cluster': `etcd=${peers}`,
  }
  launch(
    'etcd-server',
    etcd,
    Object.entries(settings).map(([key, value]) => `--${key}=${value}`),
  )
}

async function makeNode(
  name: string,
  parent: string,
  freePorts: number[],
  etcdPort: number,
  { owner }: RunAs,
): Promise<Node> {
  const folder = join(parent, name)
  await mkdir(folder, { mode: 0o700 })
  if (owner) await chown(folder, owner.uid, owner.gid)
  const take = () => freePorts.shift()!
  const own = { postgres: take(), rest: take() }
  const outside = { postgres: take(), rest: take(), etcd: take(), direct: take() }
  const cables = {
    postgres: await startProxy(own.postgres, outside.postgres),
    rest: await startProxy(own.rest, outside.rest),
    etcd: await startProxy(etcdPort, outside.etcd),
    direct: await startProxy(own.postgres, outside.direct),
  }
  return { name, folder, ports: { ...own, outside }, cables }
}

/** All at once, so that none is given twice. */
export async function findFreePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'))
  await Promise.all(servers.map((server) => once(server, 'listening')))
  const ports = servers.map((server) => (server.address() as { port: number }).port)
  await Promise.all(servers.map((server) => once(server.close(), 'close')))
  return ports
}

async function signalNode({ folder, patroni }: Node, signal: NodeJS.Signals): Promise<void> {
  // Patroni first: it must not see its PostgreSQL go.
  if (patroni?.exitCode === null && patroni.signalCode === null) patroni.kill(signal)
  await signalFamily(join(folder, 'data'), signal)
}

/** Sends a signal to the PostgreSQL of this data folder and to each of its processes. */
export async function signalFamily(data: string, signal: NodeJS.Signals): Promise<void> {
  const postmaster = await readPostmasterFile(data).catch(() => undefined)
  for (const pid of postmaster?.pid ? await familyOf(postmaster.pid) : []) {
    try {
      process.kill(pid, signal)
    } catch {
      // It has ended by itself.
    }
  }
}

/** A process and its children, if it is a PostgreSQL: another one may have the number by now. */
async function familyOf(parent: number): Promise<number[]> {
  const { stdout } = await promisify(execFile)('ps', ['-A', '-o', 'pid=,ppid=,comm='])
  const rows = stdout.split('\n').map((line) => line.trim().split(/\s+/))
  const isFamily = ([pid, of, name = '']: string[]) =>
    name.includes('postgres') && (pid === String(parent) || of === String(parent))
  return rows.filter(isFamily).map(([pid]) => Number(pid))
}

interface Member {
  readonly name: string
  readonly role: string
  readonly state: string
}

async function readMembers({ ports }: Node): Promise<readonly Member[]> {
  const reply = await fetch(`http://127.0.0.1:${ports.rest}/cluster`, { signal: AbortSignal.timeout(2_000) })
  return ((await reply.json()) as { members: Member[] }).members
}

async function waitUntilHealthy(
  nodes: readonly Node[],
  standbyRole: string,
): Promise<{ leader: Node; standby: Node }> {
  const deadline = Date.now() + healthTimeoutMs
  let seen = ''
  while (Date.now() < deadline) {
    // All have to say the same: one that was cut off may not know yet.
    const said = await Promise.all(nodes.map((node) => readMembers(node).catch(() => [])))
    seen = JSON.stringify(said[0])
    const roles = new Set(said.map(rolesOf))
    const find = (role: string) =>
      nodes.find(({ name }) => said[0]!.some((member) => member.name === name && member.role === role))
    const [leader, standby] = [find('leader'), find(standbyRole)]
    const isUp = ({ state }: Member) => ['running', 'streaming'].includes(state)
    const areUp = said.every((members) => members.filter(isUp).length === nodes.length)
    if (roles.size === 1 && areUp && leader && standby && (await isPrimary(leader)))
      return { leader, standby }
    await sleep(250)
  }
  throw new Error(`The cluster did not become healthy: ${seen}. With --keep, its logs stay.`)
}

const rolesOf = (members: readonly Member[]) =>
  members
    .map(({ name, role }) => `${name} ${role}`)
    .sort()
    .join()

export async function isPrimary({ ports }: Node): Promise<boolean> {
  const url = `http://127.0.0.1:${ports.rest}/primary`
  return (await fetch(url, { signal: AbortSignal.timeout(2_000) }).catch(() => undefined))?.status === 200
}
