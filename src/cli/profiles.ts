/**
 * Credentials that `login` has stored, in a file of the user's configuration folder. A file that others can read is
 * not used: its secrets are no longer secret, and who finds out late has lost more.
 */
import { mkdir, open, readFile, rename, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Failure, misused } from './failure.ts'
import type { Environment } from './settings.ts'

export interface Profile {
  readonly url: string
  readonly apiKey: string
  readonly apiSecret: string
  /** Name of the organization, for people. */
  readonly organization?: string
}

export interface Profiles {
  /** The one that is used unless another is named. */
  readonly current?: string
  readonly profiles: Readonly<Record<string, Profile>>
}

export const defaultProfile = 'default'

/** Undefined where the user has no folder, as in a container without HOME. */
export function profilesPath(env: Environment): string | undefined {
  const folder =
    env.XDG_CONFIG_HOME ||
    (process.platform === 'win32' ? env.APPDATA : env.HOME && join(env.HOME, '.config'))
  return folder ? join(folder, 'loyalty-wallet', 'profiles.json') : undefined
}

export async function readProfiles(env: Environment): Promise<Profiles> {
  const path = profilesPath(env)
  if (path === undefined) return { profiles: {} }
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined
    throw new Failure(
      'profile_unreadable',
      `${path} cannot be read (${error.code}). Check its owner and mode.`,
    )
  })
  if (text === undefined) return { profiles: {} }
  await refuseShared(path)
  const read = parse(text)
  if (read) return read
  throw new Failure(
    'profile_unreadable',
    `${path} is damaged. Delete it, and log in again: loyalty-wallet login`,
  )
}

async function refuseShared(path: string): Promise<void> {
  // Windows has no such modes; the folder belongs to the user there.
  if (process.platform === 'win32') return
  const { mode, uid } = await stat(path)
  if ((mode & 0o077) === 0 && (uid === process.getuid?.() || process.getuid?.() === 0)) return
  throw new Failure(
    'profile_shared',
    `${path} can be read by other users of this computer. Run: chmod 600 '${path}'. If they are not trusted, rotate the secrets in it, too.`,
  )
}

function parse(text: string): Profiles | undefined {
  try {
    const read = JSON.parse(text)
    return typeof read?.profiles === 'object' && read.profiles !== null ? read : undefined
  } catch {
    return undefined
  }
}

export function checkProfileName(name: string): string {
  if (/^[\w.-]{1,50}$/.test(name) && name !== '__proto__') return name
  throw misused(`"${name}" cannot be the name of a profile. Use letters, digits, dots and dashes.`)
}

/** Stores a profile, which becomes the one that is used. */
export async function storeProfile(env: Environment, name: string, profile: Profile): Promise<string> {
  const { profiles } = await readProfiles(env)
  return write(env, { current: name, profiles: { ...profiles, [name]: profile } })
}

/** Removes a profile; undefined if there is none of that name. */
export async function deleteProfile(env: Environment, name: string): Promise<string | undefined> {
  const stored = await readProfiles(env)
  if (!Object.hasOwn(stored.profiles, name)) return undefined
  const { [name]: _, ...profiles } = stored.profiles
  const current = stored.current === name ? undefined : stored.current
  return write(env, { ...(current !== undefined && { current }), profiles })
}

/** Replaced in one step, and never readable by others, not even for a moment. */
async function write(env: Environment, content: Profiles): Promise<string> {
  const path = profilesPath(env)
  if (path === undefined)
    throw misused(
      'There is no folder to store this in. Set HOME or XDG_CONFIG_HOME, or use API_KEY and API_SECRET.',
    )
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  const unfinished = `${path}.${process.pid}`
  const file = await open(unfinished, 'w', 0o600)
  try {
    await file.writeFile(`${JSON.stringify(content, undefined, 2)}\n`)
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(unfinished, path)
  return path
}
