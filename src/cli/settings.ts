/**
 * The settings that a command needs, and only those: a job that migrates a database should not have to know
 * the service's certificate. Everything missing or wrong is reported together.
 */
import { type Config, readConfig } from '../config.ts'
import { Failure } from './failure.ts'

export type Environment = Readonly<Record<string, string | undefined>>

export function readServiceSettings(env: Environment): Config {
  return accept(env)
}

const ofDatabase = [
  'DATABASE_URL',
  'READ_DATABASE_URL',
  'CLUSTER_DIRECT',
  'DATA_DIR',
  'POSTGRES_BIN',
  'LOG_LEVEL',
]
const ofCredentials = [...ofDatabase, 'DEMO', 'ADMIN_TOKEN', 'JWT_SECRET', 'CREDENTIAL_PEPPER']
const ofLinks = ['PUBLIC_URL', 'PORT']

/** Settings for commands that only use the database. With the demo on, no secret is required. */
export function readDatabaseSettings(env: Environment): Config {
  return accept({ ...only(ofDatabase, env), DEMO: '1' })
}

/**
 * Settings for commands that create keys and secrets. Credentials are hashed with the service's own key, so
 * these commands need its secrets exactly as the service does: with other ones the credentials would never
 * work.
 */
export function readCredentialSettings(env: Environment): Config {
  return accept(only(ofCredentials, env))
}

/** Settings for filling the demo, as the service does it. */
export function readDemoSettings(env: Environment): Config {
  return accept(only([...ofCredentials, 'DEMO_DAYS'], env))
}

/** Settings for commands that also create links, which need the public URL of the service. */
export function readLinkSettings(env: Environment): Config {
  return accept(only([...ofCredentials, ...ofLinks], env))
}

/** Settings for finding a running service: its data folder and its port. */
export function readAddressSettings(env: Environment): Config {
  return accept({ ...only(['DATA_DIR', 'PORT', 'LOG_LEVEL'], env), DEMO: '1' })
}

/** Whether stack traces are wanted. An invalid level is reported elsewhere. */
export function wantsStacks(env: Environment): boolean {
  const read = readConfig(only(['LOG_LEVEL'], env))
  return read.ok && ['debug', 'trace'].includes(read.config.logLevel)
}

function accept(env: Environment): Config {
  const read = readConfig(env)
  if (read.ok) return read.config
  throw new Failure('bad_settings', 'The settings are invalid:', { exitCode: 2, problems: read.problems })
}

function only(names: readonly string[], env: Environment): Environment {
  return Object.fromEntries(names.map((name) => [name, env[name]]))
}
