import { execFile } from 'node:child_process'
import { readFile, stat } from 'node:fs/promises'
import { userInfo } from 'node:os'
import { dirname, join } from 'node:path'

/**
 * The user that the server runs as. PostgreSQL refuses root, so a service started by root runs it as another
 * user, who must be able to reach both the programs and the data.
 */
export interface RunAs {
  /** The required owner of the data; undefined when the service is not root and already owns all files. */
  owner?: Owner
  wrap(program: string, args: string[]): SpawnRequest
}

export interface Owner {
  uid: number
  gid: number
}
export interface SpawnRequest {
  file: string
  args: string[]
  uid?: number
  gid?: number
}

/**
 * How much of the memory freed by a statement glibc keeps. By default it returns blocks of 128 KB and more to
 * the system as soon as they are free, depending on what happens to lie behind them; the next statement then
 * takes 80 to 110 page faults to get them back, and loading a basket costs 860 µs of CPU time instead of 450.
 * Other systems ignore this.
 */
const memoryEnv = { MALLOC_TRIM_THRESHOLD_: '16777216', MALLOC_MMAP_THRESHOLD_: '4194304' }

/**
 * How every PostgreSQL program is started. The environment is fixed: ours holds secrets that the other user
 * could read, and variables such as PGPORT that the server would obey. The current folder may be one that the
 * other user cannot enter.
 */
export const spawnPlace: { env?: Record<string, string>; cwd?: string } =
  process.platform === 'win32'
    ? {}
    : {
        env: {
          PATH: '/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin',
          LC_ALL: 'C',
          ...memoryEnv,
        },
        cwd: '/',
      }

export type RunAsResult =
  | { ok: true; runAs: RunAs; versionText: string }
  | { ok: false; reason: string; inReachOfData?: RunAs }

/**
 * Finds a way to run `postgres` on data in `folder` by trying each one with `postgres --version`. When the
 * data is accessible and only the program is not, the failure names the user for whom a copy of it would
 * help.
 */
export async function findRunAs(postgres: string, folder: string): Promise<RunAsResult> {
  const ways = await listWays(folder)
  let inReachOfData: RunAs | undefined
  let reason = 'there is neither a user postgres nor a user nobody'
  for (const [index, runAs] of ways.entries()) {
    const probe = await tryToRun(runAs, postgres, dirname(folder))
    if (probe.ok) return { ok: true, runAs, versionText: probe.output }
    if (index === 0) reason = probe.output
    if (probe.dataReachable) inReachOfData ??= runAs
  }
  return { ok: false, reason, inReachOfData }
}

async function listWays(folder: string): Promise<RunAs[]> {
  const own: RunAs = { wrap: (file, args) => ({ file, args }) }
  if (process.getuid?.() !== 0) {
    // initdb refuses a user without a name, which is what `docker run --user 1234` gives us.
    const nobody = (await readUsers()).get('nobody')
    return nobody && !hasName() ? [{ ...asMappedUser(nobody), owner: undefined }, own] : [own]
  }
  const owners = await listOwners(folder)
  return [...owners.map(asUser), ...owners.slice(0, 1).map(asMappedUser)]
}

function hasName(): boolean {
  try {
    return process.platform === 'win32' || userInfo().username !== ''
  } catch {
    return false
  }
}

function asUser({ uid, gid }: Owner): RunAs {
  return { owner: { uid, gid }, wrap: (file, args) => ({ file, args, uid, gid }) }
}

/**
 * A user namespace in which we have a different user id. PostgreSQL sees an ordinary user, while the kernel
 * still opens files as us, so that folders only root may enter stay accessible.
 */
function asMappedUser({ uid, gid }: Owner): RunAs {
  return {
    owner: { uid: 0, gid: 0 },
    wrap: (program, args) => ({
      file: 'unshare',
      args: ['--user', `--map-user=${uid}`, `--map-group=${gid}`, '--', program, ...args],
    }),
  }
}

interface Probe {
  ok: boolean
  dataReachable: boolean
  output: string
}

function tryToRun(runAs: RunAs, program: string, dataParent: string): Promise<Probe> {
  // Windows has neither this shell nor users to switch to.
  const direct = process.platform === 'win32'
  const script = `cd -- "$1" || exit 81; exec "$2" --version`
  const { file, args, uid, gid } = direct
    ? runAs.wrap(program, ['--version'])
    : runAs.wrap('/bin/sh', ['-c', script, 'sh', dataParent, program])
  return new Promise((done) => {
    execFile(file, args, { ...spawnPlace, uid, gid, timeout: 20_000 }, (error, stdout, stderr) => {
      if (!error) return done({ ok: true, dataReachable: true, output: stdout.trim() })
      // A shell exits with 126 or 127 when it could not execute the program, and it gets that far only if the
      // data is accessible. `unshare` exits with 1 where namespaces are forbidden.
      const dataReachable = error.code === 126 || error.code === 127
      const output = error.code === 81 ? `the folder ${dataParent} is out of its reach` : stderr.trim()
      done({ ok: false, dataReachable, output: output || error.message })
    })
  })
}

/**
 * The users to try: the current owner of the data, the customary ones, and the owner of the folder around the
 * data, which is why `sudo npm start` in a private home folder still works.
 */
async function listOwners(folder: string): Promise<Owner[]> {
  const owners: Owner[] = []
  const add = (owner: Owner | undefined) => {
    if (owner && owner.uid !== 0 && !owners.some(({ uid }) => uid === owner.uid)) owners.push(owner)
  }
  const cluster = await stat(join(folder, 'PG_VERSION')).catch(() => undefined)
  add(cluster)
  const users = await readUsers()
  add(users.get('postgres'))
  add(users.get('nobody'))
  // initdb refuses a user without a name, so an owner that is only a number is of no use.
  const around = await nearestOwner(dirname(folder))
  add([...users.values()].find(({ uid }) => uid === around))
  return owners.map(({ uid, gid }) => ({ uid, gid }))
}

async function nearestOwner(start: string): Promise<number | undefined> {
  for (let folder = start; ; folder = dirname(folder)) {
    const found = await stat(folder).catch(() => undefined)
    if (found && found.uid !== 0) return found.uid
    if (dirname(folder) === folder) return undefined
  }
}

async function readUsers(): Promise<Map<string, Owner>> {
  const text = await readFile('/etc/passwd', 'utf8').catch(() => '')
  const users = new Map<string, Owner>()
  for (const line of text.split('\n')) {
    const [name, , uid, gid] = line.split(':')
    if (name && uid && gid) users.set(name, { uid: Number(uid), gid: Number(gid) })
  }
  return users
}
