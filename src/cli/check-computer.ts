/** The doctor's checks of the environment: Node, settings, certificate, files, disk, PostgreSQL programs. */
import { createPrivateKey, X509Certificate } from 'node:crypto'
import { mkdtemp, rmdir, stat, statfs } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { loadOrCreateSecrets } from '../app/secrets-file.ts'
import { type Config, readSettings } from '../config.ts'
import { findPostgresBinaries, restoreLibraryLinks } from '../embedded-postgres/postgres-binaries.ts'
import { findRunAs } from '../embedded-postgres/run-as.ts'
import { examineSettings } from './check-settings.ts'
import { type Finding, ok, problem, warning } from './finding.ts'
import type { Environment } from './settings.ts'

/** Always ok: a Node that is too old does not get here (`check-installation.mjs`). */
export function checkNode(): Finding {
  return ok('node', `Node ${process.versions.node}`)
}

export function checkSettings(env: Environment): Finding[] {
  const found = examineSettings(env).flatMap(({ findings }) => findings)
  const settings = found.length > 0 ? found : [ok('settings', 'all settings are valid')]
  const { tls } = readSettings({ ...env }).config
  return tls ? [...settings, checkCertificate(tls)] : settings
}

const dayMs = 86_400_000
const renewBeforeDays = 21

export function checkCertificate({ cert, key }: NonNullable<Config['tls']>): Finding {
  const advice = 'Renew it, point TLS_CERT and TLS_KEY to the new files, and restart the service.'
  try {
    const certificate = new X509Certificate(cert)
    if (!certificate.checkPrivateKey(createPrivateKey(key))) {
      return problem(
        'certificate',
        'TLS_KEY is not the key of TLS_CERT.',
        'Set them to a certificate and its private key.',
      )
    }
    const daysLeft = Math.floor((Date.parse(certificate.validTo) - Date.now()) / dayMs)
    if (daysLeft < 0)
      return problem('certificate', `The certificate expired on ${certificate.validTo}.`, advice)
    if (daysLeft < renewBeforeDays)
      return warning('certificate', `The certificate expires on ${certificate.validTo}.`, advice)
    return ok('certificate', `valid until ${certificate.validTo}`)
  } catch (error) {
    const message = `TLS_CERT or TLS_KEY cannot be read: ${(error as Error).message}.`
    return problem('certificate', message, 'Set both to PEM files; the key must have no passphrase.')
  }
}

/** Creates and removes a folder, because permissions do not reveal full disks and read-only mounts. */
export async function checkDataFolder({ dataDir }: Config): Promise<Finding> {
  const existing = await nearestFolder(dataDir)
  try {
    await rmdir(await mkdtemp(join(existing, '.doctor-')))
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    return problem(
      'data folder',
      `${existing} cannot be written to (${code}).`,
      'Set DATA_DIR to a folder that this user can write to, or free some space.',
    )
  }
  if (existing !== dataDir) return ok('data folder', `${dataDir} will be created at the first start`)
  return ok('data folder', dataDir)
}

/** Undefined while there is no file: the first start creates it. */
export async function checkSecrets({ dataDir }: Config): Promise<Finding | undefined> {
  const path = join(dataDir, 'secrets.json')
  if (!(await stat(path).catch(() => undefined))) return undefined
  try {
    await loadOrCreateSecrets(dataDir)
    return ok('secrets', path)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    const advice = code === undefined ? message : `Run this as the user that runs the service. (${message})`
    return problem('secrets', `${path} cannot be used`, advice)
  }
}

const scarceBytes = 1_000_000_000
const tooFewBytes = 100_000_000

export async function checkDisk({ dataDir }: Config): Promise<Finding> {
  const { bavail, bsize } = await statfs(await nearestFolder(dataDir))
  const free = bavail * bsize
  const message = `${(free / 1e9).toFixed(1)} GB free for ${dataDir}`
  const advice = 'Free some space, or set DATA_DIR to a larger disk.'
  if (free < tooFewBytes) return problem('disk', message, advice)
  return free < scarceBytes ? warning('disk', message, advice) : ok('disk', message)
}

export async function checkPrograms(config: Config): Promise<Finding> {
  const check = 'embedded postgres'
  if (config.databaseUrl !== undefined) return ok(check, 'not used, because DATABASE_URL is set')
  const advice =
    'Install with optional packages, set POSTGRES_BIN to the bin folder of PostgreSQL 15 to 18, or set DATABASE_URL.'
  try {
    const binaries = await findPostgresBinaries(config.postgresBin)
    if (binaries.packageFolder) await restoreLibraryLinks(binaries.packageFolder)
    const found = await findRunAs(binaries.postgres, join(await nearestFolder(config.dataDir), 'postgres'))
    if (found.ok) return ok(check, found.versionText)
    if (found.inReachOfData && binaries.packageFolder)
      return ok(check, `will be copied to ${config.dataDir}, where its user can reach it`)
    const isRoot = process.getuid?.() === 0
    return problem(
      check,
      `${binaries.postgres} cannot be run: ${found.reason}.`,
      isRoot
        ? `Start as a regular user, or set DATA_DIR to a folder that other users can access. ${advice}`
        : advice,
    )
  } catch (error) {
    return problem(check, (error as Error).message, advice)
  }
}

/**
 * The nearest existing ancestor; if that is a file, the attempt to write into it fails with a clear error.
 */
async function nearestFolder(start: string): Promise<string> {
  for (let folder = start; ; folder = dirname(folder)) {
    if (await stat(folder).catch(() => undefined)) return folder
    if (dirname(folder) === folder) return folder
  }
}
