/**
 * The settings a command needs, and only those: a job that migrates a database should not have to know the
 * service's certificate. What is missing or wrong is reported all at once.
 */
import { type Config, readConfig } from '../config.ts'
import { Failure } from './failure.ts'

export type Environment = Readonly<Record<string, string | undefined>>

export function readServiceSettings(env: Environment): Config {
  return accept(env)
}

const ofDatabase = ['DATABASE_URL', 'DATA_DIR', 'POSTGRES_BIN', 'LOG_LEVEL']
const ofCredentials = [...ofDatabase, 'DEMO', 'ADMIN_TOKEN', 'JWT_SECRET', 'CREDENTIAL_PEPPER']
const ofLinks = ['PUBLIC_URL', 'PORT']

/** For work on the database alone. With the demo on, no secret is asked for. */
export function readDatabaseSettings(env: Environment): Config {
  return accept({ ...only(ofDatabase, env), DEMO: '1' })
}

/**
 * For commands that make keys and secrets. The hashes are made with the service's own key, so its secrets are
 * needed exactly where the service needs them: a guess would make credentials that never work.
 */
export function readCredentialSettings(env: Environment): Config {
  return accept(only(ofCredentials, env))
}

/** The same for links, which lead to where people reach the service. */
export function readLinkSettings(env: Environment): Config {
  return accept(only([...ofCredentials, ...ofLinks], env))
}

/** For finding a running service: where its files are, and where it listens. */
export function readAddressSettings(env: Environment): Config {
  return accept({ ...only(['DATA_DIR', 'PORT', 'LOG_LEVEL'], env), DEMO: '1' })
}

/** Whether stack traces are wanted. A level that does not exist is somebody else's complaint. */
export function wantsStacks(env: Environment): boolean {
  const read = readConfig(only(['LOG_LEVEL'], env))
  return read.ok && ['debug', 'trace'].includes(read.config.logLevel)
}

function accept(env: Environment): Config {
  const read = readConfig(env)
  if (read.ok) return read.config
  throw new Failure('bad_settings', 'The settings are not usable:', { exitCode: 2, problems: read.problems })
}

function only(names: readonly string[], env: Environment): Environment {
  return Object.fromEntries(names.map((name) => [name, env[name]]))
}
