import { createHash } from 'node:crypto'
import { chown, lstat, mkdir, mkdtemp, readlink, rm, symlink } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import type { Owner } from './run-as.ts'

/** Only part of the socket's file name; nothing listens on the network. */
export const socketPort = 5432

export interface SocketFolder {
  /** Value of the server's `unix_socket_directories`. */
  serverFolder: string
  /**
   * The folder for clients; short enough for a socket address regardless of the length of the data folder's
   * path.
   */
  host: string
  remove(): Promise<void>
}

/**
 * Decides where the server's socket is placed. The data folder is best: it is private (0700), a service in
 * another container that shares it finds the running server there, and nothing is left behind in /tmp. The
 * server calls it `.`, its current folder, and clients use a short alias when the path is too long for an
 * address. If the file system cannot hold sockets, a private folder elsewhere is used.
 */
export async function prepareSocketFolder(folder: string, owner: Owner | undefined): Promise<SocketFolder> {
  const { host, remove } = await findClientFolder(folder)
  if (await holdsSockets(host)) return { serverFolder: '.', host, remove }
  await remove()
  const privateFolder = await makePrivateFolder(folder, owner)
  if (owner) await chown(privateFolder, owner.uid, owner.gid)
  return {
    serverFolder: privateFolder,
    host: privateFolder,
    remove: () => removePrivateFolder(privateFolder),
  }
}

/** Where a client finds the socket of a running server, as announced in `postmaster.pid`. */
export async function findSocketFolder(folder: string, announced: string): Promise<SocketFolder> {
  if (!announced.startsWith('/')) return { serverFolder: '.', ...(await findClientFolder(folder)) }
  return { serverFolder: announced, host: announced, remove: () => removePrivateFolder(announced) }
}

/** The data folder itself, or a short alias of it. */
async function findClientFolder(folder: string): Promise<{ host: string; remove(): Promise<void> }> {
  if (fits(folder)) return { host: folder, remove: async () => {} }
  const privateFolder = await makePrivateFolder(folder, undefined)
  const alias = join(privateFolder, 'd')
  // A correct alias is left alone: the service may be using it while a command line tool runs.
  if ((await readlink(alias).catch(() => undefined)) !== folder) {
    await rm(alias, { force: true })
    await symlink(folder, alias)
  }
  return { host: alias, remove: () => removePrivateFolder(privateFolder) }
}

async function removePrivateFolder(path: string): Promise<void> {
  // A server that was started by hand may announce a folder that is not ours to delete.
  if (basename(path).startsWith(privatePrefix)) await rm(path, { recursive: true, force: true })
}

const privatePrefix = 'lw-'

// The address has 108 bytes on Linux and 104 on macOS, including the terminating zero.
function fits(folder: string): boolean {
  const limit = process.platform === 'linux' ? 107 : 103
  return Buffer.byteLength(join(folder, `.s.PGSQL.${socketPort}`)) <= limit
}

async function makePrivateFolder(folder: string, owner: Owner | undefined): Promise<string> {
  const uid = process.getuid?.() ?? 0
  const name = `${privatePrefix}${uid}-${createHash('sha256').update(folder).digest('hex').slice(0, 12)}`
  for (const parent of [tmpdir(), '/tmp', '/var/tmp', '/dev/shm']) {
    const path = join(parent, name)
    if (!fits(join(path, 'd'))) continue
    try {
      await mkdir(path, { mode: 0o700 })
      return path
    } catch {
      // The folder of a killed predecessor is reused, but only if no other user can have prepared it.
      const found = await lstat(path).catch(() => undefined)
      const isOurs = found && (found.uid === uid || found.uid === owner?.uid)
      if (isOurs && found.isDirectory() && (found.mode & 0o077) === 0) return path
      const fresh = await mkdtemp(join(parent, privatePrefix)).catch(() => undefined)
      if (fresh) return fresh
    }
  }
  throw new Error(
    'No folder for the socket of the embedded PostgreSQL: neither /tmp nor /var/tmp is writable.',
  )
}

function holdsSockets(folder: string): Promise<boolean> {
  const path = join(folder, '.s.probe')
  return new Promise((done) => {
    const server = createServer()
    server.on('error', () => done(false))
    server.listen({ path }, () => server.close(() => done(true)))
  })
}
