/**
 * Turns the error of a command into one message that says what to do. Our own errors already do; those of the
 * system and of PostgreSQL are translated here. No message contains a password.
 */
import { join } from 'node:path'
import type { Config } from '../config.ts'
import { BackupFileError } from '../database/backup/backup-file.ts'
import { RestoreError } from '../database/backup/restore-backup.ts'
import { poolerAdvice, SessionError } from '../database/check-session.ts'
import { isConnectionError, isLostServer } from '../database/classify-error.ts'
import { listServers } from '../database/failover.ts'
import { MigrationError } from '../database/migration-files.ts'
import { Refused } from '../domain/refusal.ts'
import { FolderInUseError } from '../embedded-postgres/server-process.ts'
import { WrongPepperError } from '../operations/auth/recognize-pepper.ts'
import { Failure } from './failure.ts'

/** Runs `work` and translates the error it throws. */
export async function explaining<T>(config: Config, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw explainFailure(error, config)
  }
}

export function explainFailure(error: unknown, config: Config): unknown {
  if (error instanceof Failure || error instanceof Refused || !(error instanceof Error)) return error
  if (error instanceof FolderInUseError) return failure('folder_in_use', error.message, error)
  if (error instanceof MigrationError) {
    const cause = explainFailure(error.cause, config)
    return cause instanceof Failure && cause.code === 'database_permission'
      ? cause
      : failure('migration_failed', error.message, error)
  }
  if (error instanceof BackupFileError) return failure('backup_file', error.message, error)
  if (error instanceof RestoreError) return failure('restore_refused', error.message, error)
  if (error instanceof SessionError) return failure('database_pooler', error.message, error)
  if (error instanceof WrongPepperError) return failure('wrong_pepper', error.message, error)
  const { syscall } = error as NodeJS.ErrnoException
  if (syscall === 'listen' || syscall === 'bind' || isUnknownHost(error, config))
    return explainListen(error, config)
  if (isTlsError(error)) {
    const message = `TLS_CERT and TLS_KEY cannot be used (${error.message}). They must be PEM files that belong together: the certificate with its chain, and its private key without a passphrase.`
    return failure('bad_certificate', message, error)
  }
  return explainDatabase(error, config) ?? explainFiles(error, config) ?? explainOwn(error)
}

/** A plain Error of our own code already says what to do; anything else is a bug and stays unchanged. */
function explainOwn(error: Error): Error {
  const isOurs = error.constructor === Error && codeOf(error) === ''
  return isOurs ? failure('failed', error.message, error) : error
}

const failure = (code: string, message: string, cause: Error) => new Failure(code, message, { cause })

const codeOf = (error: Error): string => String((error as NodeJS.ErrnoException).code ?? '')

function explainListen(error: Error, { host, port }: Config): Failure {
  switch (codeOf(error)) {
    case 'EADDRINUSE': {
      const message = `Port ${port} on ${host} is in use by another program. Stop that program, or set PORT to another port (PORT=0 picks a free one).`
      return failure('port_in_use', message, error)
    }
    case 'EACCES': {
      const message = `This user is not allowed to listen on port ${port}: ports below 1024 are reserved. Set PORT to a higher one, for example 8080.`
      return failure('port_not_allowed', message, error)
    }
    default: {
      const message = `HOST=${host} is not an address of this computer (${codeOf(error)}). Use 127.0.0.1, or 0.0.0.0 for all addresses.`
      return failure('bad_host', message, error)
    }
  }
}

function isUnknownHost(error: Error, { host }: Config): boolean {
  const { hostname } = error as Error & { hostname?: string }
  return hostname !== undefined && hostname === host && codeOf(error).startsWith('E')
}

function isTlsError(error: Error): boolean {
  return codeOf(error).startsWith('ERR_OSSL') || (error as { library?: string }).library !== undefined
}

function explainDatabase(error: Error, config: Config): Failure | undefined {
  const database = nameDatabase(config)
  const reason = reasonOf(error)
  switch (codeOf(error)) {
    case '28P01':
    case '28000': {
      const message = `The database ${database} rejected the user or the password (${reason}). Correct DATABASE_URL; characters such as @ : / in a password must be percent-encoded.`
      return failure('database_credentials', message, error)
    }
    case '3D000': {
      const message = `The database ${database} does not exist. Create it with createdb, or correct DATABASE_URL.`
      return failure('database_missing', message, error)
    }
    case '42501': {
      const message = `The user of DATABASE_URL lacks a privilege on ${database} (${reason}). Make it the owner of the database, or: GRANT CREATE, USAGE ON SCHEMA public TO that user.`
      return failure('database_permission', message, error)
    }
    case '42P01':
    case '42703': {
      const message = `The schema of ${database} is older than this program (${reason}). Run: loyalty-wallet migrate`
      return failure('schema_outdated', message, error)
    }
  }
  if (/^unsupported startup parameter/.test(reason)) {
    const message = `The connection pooler at ${database} refuses what the service asks for (${reason}). ${poolerAdvice()}`
    return failure('database_pooler', message, error)
  }
  if (/does not support SSL/.test(reason)) {
    const message = `The database ${database} does not support TLS. Remove sslmode from DATABASE_URL, or enable TLS on the server.`
    return failure('database_tls', message, error)
  }
  if (/CERT|SELF_SIGNED|UNABLE_TO_VERIFY/.test(codeOf(error))) {
    const message = `The certificate of the database ${database} is not trusted (${reason}). Add sslrootcert=/path/to/ca.pem to DATABASE_URL.`
    return failure('database_tls', message, error)
  }
  if (isLostServer(error)) {
    const message = `The database ${database} has lost one of its servers (${reason}). Start it, or put its standby in its place; loyalty-wallet doctor says which one it is.`
    return failure('database_unreachable', message, error)
  }
  if (!isConnectionError(error) && !codeOf(error).startsWith('53')) return undefined
  const advice =
    config.databaseUrl === undefined
      ? `See ${join(config.dataDir, 'postgres.log')}.`
      : 'Start it, or correct DATABASE_URL.'
  const message = `The database ${database} cannot be reached (${reason}). ${advice}`
  return failure('database_unreachable', message, error)
}

function explainFiles(error: Error, config: Config): Failure | undefined {
  const { code = '', path, syscall } = error as NodeJS.ErrnoException
  if (path === undefined || syscall === undefined) return undefined
  if (['EACCES', 'EPERM', 'EROFS', 'ENOSPC', 'EDQUOT', 'ENOTDIR', 'EEXIST'].includes(code)) {
    const message = `The data folder ${config.dataDir} cannot be used: ${path} (${code}). Set DATA_DIR to a writable folder with free space.`
    return failure('data_folder', message, error)
  }
  return undefined
}

/** Server and database name from DATABASE_URL, without user and password. */
export function nameDatabase(config: Config): string {
  if (config.databaseUrl === undefined) return `under ${config.dataDir}`
  try {
    const urls = listServers(config.databaseUrl).map((server) => new URL(server.replace('@/', '@socket/')))
    const hosts = urls.map(({ hostname, host, searchParams }) =>
      hostname === 'socket' ? (searchParams.get('host') ?? 'a socket') : host,
    )
    return `"${decodeURIComponent(urls[0]!.pathname.slice(1))}" at ${hosts.join(', ')}`
  } catch {
    return 'of DATABASE_URL'
  }
}

/** A host with several addresses fails with one error for each, and without a message of its own. */
export function reasonOf(error: Error): string {
  if (error instanceof AggregateError && error.errors[0] instanceof Error) return error.errors[0].message
  return error.message || codeOf(error)
}
