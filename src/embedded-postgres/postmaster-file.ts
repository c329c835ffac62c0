import { readFile, readlink, realpath } from 'node:fs/promises'
import { join } from 'node:path'

/** What a running server writes into `postmaster.pid` of its data folder. */
export interface PostmasterFile {
  pid: number
  port: number
  socketFolder: string
  status: string
}

export async function readPostmasterFile(folder: string): Promise<PostmasterFile | undefined> {
  const text = await readFile(join(folder, 'postmaster.pid'), 'utf8').catch((error) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined
    if (error.code === 'EACCES') throw notOurFolder(folder)
    throw error
  })
  if (text === undefined) return undefined
  // Process number, data folder, start time, port, socket folder, address, shared memory key, status.
  const lines = text.split('\n').map((line) => line.trim())
  const pid = Math.abs(Number.parseInt(lines[0] ?? '', 10))
  return {
    pid: Number.isInteger(pid) ? pid : 0,
    port: Number.parseInt(lines[3] ?? '', 10) || 0,
    socketFolder: lines[4] ?? '',
    status: lines[7] ?? '',
  }
}

export function notOurFolder(folder: string): Error {
  return new Error(
    `The data folder ${folder} belongs to another user. Start the service as the user who created it, or give the folder to this one with chown -R.`,
  )
}

/** Whether any process has this number, even a zombie that has not been reaped. */
export function isNumberTaken(pid: number): boolean {
  if (pid <= 0) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // Lacking the permission to signal it means that it exists.
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** Whether a process is running under this number. */
export async function isAlive(pid: number): Promise<boolean> {
  if (!isNumberTaken(pid)) return false
  if (process.platform !== 'linux') return true
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined)
  if (text === undefined) return false
  // The name before the state is in parentheses and may itself contain any character.
  const state = text.slice(text.lastIndexOf(')') + 2, text.lastIndexOf(')') + 3)
  return state !== 'Z' && state !== 'X'
}

/**
 * Whether the process is a server on this data folder, and not an unrelated one that reused the number of a
 * dead server. Where the system does not tell, it is assumed to be: waiting is safer than a second server.
 */
export async function isServerOf(pid: number, folder: string): Promise<boolean> {
  if (process.platform !== 'linux') return true
  try {
    // A server changes into its data folder and stays there.
    return (await readlink(`/proc/${pid}/cwd`)) === (await realpath(folder))
  } catch {
    const name = await readFile(`/proc/${pid}/comm`, 'utf8').catch(() => '')
    return name.trim() === 'postgres'
  }
}
