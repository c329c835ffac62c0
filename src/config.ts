import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { listServers, readTarget, targets } from './database/failover.ts'
import { parseRange, type Range } from './operations/outbound/addresses.ts'
import type { PassInstallation } from './operations/passes/installation.ts'
import { readPassSettings } from './pass-settings.ts'
import { type SettingName, settingList } from './setting-list.ts'
import type { TracingSettings } from './tracing/tracer.ts'

export { type SettingName, settingList }

const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const

export interface Config {
  port: number
  host: string
  dataDir: string
  /** If undefined, the embedded PostgreSQL under `dataDir` is used. */
  databaseUrl: string | undefined
  /** A replica of that database, for reports, lists and exports. */
  readDatabaseUrl: string | undefined
  /** On a cluster, to connect to each of its servers. */
  clusterDirect: boolean
  /** The replica is used while its data is at most this old. */
  maxDataAgeSeconds: number
  /** Undefined only if the demo is on; it is then generated and stored under `dataDir`. */
  adminToken: string | undefined
  /** Undefined only if the demo is on; it is then generated and stored under `dataDir`. */
  jwtSecret: string | undefined
  /** Its access tokens are accepted as well, so that `jwtSecret` can be changed without ending any. */
  otherJwtSecret: string | undefined
  /** The key of credential hashes. Defaults to `jwtSecret`, and is undefined if that is. */
  credentialPepper: string | undefined
  /** Public URL of the service, without a trailing slash. If undefined, the address it listens on is used. */
  publicUrl: string | undefined
  accessTokenTtlSeconds: number
  refreshTokenTtlSeconds: number
  /** Events can be read for this many days. */
  eventRetentionDays: number
  /** Requests are in the request log for this many days. */
  requestRetentionDays: number
  /** Responses are kept for retries for this many days. */
  replyRetentionDays: number
  demo: boolean
  /** How many days ago a new demo opened, with visits on every day since; 0 leaves it empty. */
  demoDays: number
  /**
   * Requests per second: per organization, per connection, per IP address without a token. Undefined means
   * off.
   */
  rateLimits: { organization?: number; connection?: number; address?: number }
  tls: { cert: Buffer; key: Buffer } | undefined
  trustProxy: boolean
  allowHttp: boolean
  postgresBin: string | undefined
  /** Number of processes that handle requests. */
  workers: number
  /** How long the log of deliveries to webhooks is kept. */
  deliveryRetentionDays: number
  /** How long the log of messages is kept. */
  messageRetentionDays: number
  /** Addresses that webhooks and messages may be sent to besides those on the internet. */
  webhookRanges: readonly Range[]
  /** Keys for passes, and where Apple's and Google's services are. */
  passes: PassInstallation
  logLevel: (typeof logLevels)[number]
  /** Where spans are sent; undefined if they are not recorded. */
  tracing: TracingSettings | undefined
}

export type ConfigResult = { ok: true; config: Config } | { ok: false; problems: string[] }

/** What was read, valid or not; a value that is not valid is replaced by its default. */
export interface ReadSettings {
  readonly config: Config
  /** Each begins with the name of its setting. */
  readonly problems: readonly string[]
  /** The values that were set. */
  readonly given: ReadonlyMap<SettingName, string>
}

type Environment = Record<string, string | undefined>

/**
 * Reads all settings from the environment. This is the only place that does, and it reports all problems
 * together, so that an operator does not find them one start at a time. An empty value counts as not set,
 * because that is what `VAR=` in an env file means.
 */
export function readConfig(env: Environment, cwd: string = process.cwd()): ConfigResult {
  const problems: string[] = []
  const { config } = readSettings(env, cwd, problems)
  return problems.length === 0 ? { ok: true, config } : { ok: false, problems }
}

/** Reads all settings as far as they are valid, for those who look at them one by one. */
export function readSettings(
  env: Environment,
  cwd: string = process.cwd(),
  problems: string[] = [],
): ReadSettings {
  const read = readerOf(env, problems)

  const databaseUrl = readDatabaseUrl(read.text('DATABASE_URL'), problems)
  const isDatabaseNamed = read.text('DATABASE_URL') !== undefined
  const demo = read.flag('DEMO', !isDatabaseNamed)
  const jwtSecret = read.secret('JWT_SECRET', 32, demo)
  const config: Config = {
    port: read.integer('PORT', 8080, 0, 65_535),
    host: (read.text('HOST') ?? '127.0.0.1').replace(/^\[(.*)\]$/, '$1'),
    dataDir: resolve(cwd, read.text('DATA_DIR') ?? 'data'),
    databaseUrl,
    readDatabaseUrl: readReplicaUrl(read.text('READ_DATABASE_URL'), isDatabaseNamed, problems),
    clusterDirect: read.flag('CLUSTER_DIRECT', false),
    maxDataAgeSeconds: read.integer('MAX_DATA_AGE', 10, 1, 3_600),
    adminToken: read.secret('ADMIN_TOKEN', 16, demo),
    jwtSecret,
    otherJwtSecret: read.secret('OTHER_JWT_SECRET', 32, true),
    credentialPepper: read.secret('CREDENTIAL_PEPPER', 32, true) ?? jwtSecret,
    publicUrl: readPublicUrl(read.text('PUBLIC_URL'), problems),
    accessTokenTtlSeconds: read.integer('ACCESS_TOKEN_TTL', 3_600, 1, maxTtlSeconds),
    refreshTokenTtlSeconds: read.integer('REFRESH_TOKEN_TTL', 2_592_000, 1, maxTtlSeconds),
    eventRetentionDays: read.integer('EVENT_RETENTION', 90, 1, 36_500),
    requestRetentionDays: read.integer('REQUEST_RETENTION', 7, 1, 90),
    // Clients may rely on three.
    replyRetentionDays: read.integer('REPLY_RETENTION', 3, 3, 90),
    demo,
    demoDays: read.integer('DEMO_DAYS', 90, 0, 366),
    rateLimits: readRateLimits(read),
    workers: read.integer('WORKERS', 1, 1, 256),
    tls: readTls(read, cwd, problems),
    trustProxy: read.flag('TRUST_PROXY', false),
    allowHttp: read.flag('ALLOW_HTTP', false),
    postgresBin: resolved(cwd, read.text('POSTGRES_BIN')),
    deliveryRetentionDays: read.integer('DELIVERY_RETENTION', 30, 1, 3_650),
    messageRetentionDays: read.integer('MESSAGE_RETENTION', 90, 30, 3_650),
    webhookRanges: readRanges(read.text('WEBHOOK_ALLOWED_RANGES') ?? (demo ? loopback : ''), problems),
    passes: readPasses(read, cwd, problems),
    logLevel: readLogLevel(read.text('LOG_LEVEL'), problems),
    tracing: readTracing(read, problems),
  }
  requireHttps(config, read, problems)
  return { config, problems, given: read.given }
}

function readPasses(read: Reader, cwd: string, problems: string[]): PassInstallation {
  const values = {
    APPLE_PASS_CERT: read.text('APPLE_PASS_CERT'),
    APPLE_PASS_KEY: read.text('APPLE_PASS_KEY'),
    APPLE_PASS_KEY_PASSPHRASE: read.text('APPLE_PASS_KEY_PASSPHRASE'),
    APPLE_PASS_ISSUER_CERT: read.text('APPLE_PASS_ISSUER_CERT'),
    APPLE_PASS_TYPE: read.text('APPLE_PASS_TYPE'),
    APPLE_TEAM: read.text('APPLE_TEAM'),
    APPLE_PUSH_URL: read.text('APPLE_PUSH_URL'),
    GOOGLE_WALLET_ISSUER: read.text('GOOGLE_WALLET_ISSUER'),
    GOOGLE_WALLET_KEY: read.text('GOOGLE_WALLET_KEY'),
    GOOGLE_WALLET_URL: read.text('GOOGLE_WALLET_URL'),
    GOOGLE_TOKEN_URL: read.text('GOOGLE_TOKEN_URL'),
  }
  return readPassSettings(values, cwd, problems)
}

/** Somebody who tries the demo receives webhooks on the same computer. */
const loopback = '127.0.0.0/8,::1'

function readRanges(text: string, problems: string[]): Range[] {
  const parts = text.split(',').flatMap((part) => part.trim() || [])
  const wrong = parts.find((part) => !parseRange(part))
  if (wrong !== undefined) {
    problems.push(
      `WEBHOOK_ALLOWED_RANGES must be ranges such as 10.0.0.0/8, separated by commas, not "${wrong}".`,
    )
  }
  return parts.flatMap((part) => parseRange(part) ?? [])
}

// Ten years. A longer lifetime is a typo, and milliseconds beyond 2^53 would not be exact.
const maxTtlSeconds = 315_360_000

type Reader = ReturnType<typeof readerOf>

function readerOf(env: Environment, problems: string[]) {
  const given = new Map<SettingName, string>()
  const text = (name: SettingName): string | undefined => {
    const value = env[name]?.trim() || undefined
    if (value !== undefined) given.set(name, value)
    return value
  }

  return {
    given,
    text,

    integer(name: SettingName, fallback: number, min: number, max: number): number {
      const value = text(name)
      if (value === undefined) return fallback
      const number = /^\d{1,15}$/.test(value) ? Number(value) : Number.NaN
      if (number >= min && number <= max) return number
      problems.push(`${name} must be a whole number from ${min} to ${max}, not "${value}".`)
      return fallback
    },

    flag(name: SettingName, fallback: boolean): boolean {
      const value = text(name)
      if (value === undefined) return fallback
      if (value !== '1' && value !== '0') problems.push(`${name} must be 1 or 0, not "${value}".`)
      return value === '1'
    },

    /** Never repeats the value in a message: it would end up in a log. */
    secret(name: SettingName, minLength: number, optional: boolean): string | undefined {
      const value = text(name)
      const advice = 'for example the output of: openssl rand -hex 32'
      if (value === undefined && !optional) {
        problems.push(`${name} is required if the demo is off: set it to a secret of your own, ${advice}`)
      }
      if (value !== undefined && value.length < minLength) {
        problems.push(`${name} is too short: it needs at least ${minLength} characters, ${advice}`)
      }
      return value
    },
  }
}

/** One host: how old the data is would be measured on one and read from another. */
function readReplicaUrl(value: string | undefined, isDatabaseNamed: boolean, problems: string[]) {
  if (value === undefined) return undefined
  if (!isDatabaseNamed) problems.push('READ_DATABASE_URL requires DATABASE_URL, whose replica it is.')
  if (!/^postgres(ql)?:\/\//.test(value) || !isDatabaseUrl(value) || listServers(value).length > 1) {
    problems.push(
      'READ_DATABASE_URL must be the URL of one replica, as in postgres://user:password@host:5432/database.',
    )
  }
  return value
}

function readDatabaseUrl(value: string | undefined, problems: string[]): string | undefined {
  if (value === undefined) return undefined
  // The URL itself is not in the message, because it contains a password.
  if (!/^postgres(ql)?:\/\//.test(value)) {
    problems.push(
      'DATABASE_URL must start with postgres://, as in postgres://user:password@host:5432/database.',
    )
  } else if (!isDatabaseUrl(value)) {
    problems.push(
      'DATABASE_URL is not a valid URL. Characters such as @ : / ? # in the password must be percent-encoded; several hosts are written as host1:5432,host2:5432.',
    )
  } else if (!targets.some((target) => target === readTarget(value))) {
    problems.push(
      `DATABASE_URL: target_session_attrs must be ${targets.join(', ')}, because the service writes.`,
    )
  }
  return value
}

/** Of one host, only a socket may be left out; of several, none. */
function isDatabaseUrl(url: string): boolean {
  const servers = listServers(url)
  if (servers.length > 1) return servers.every((server) => URL.canParse(server))
  return URL.canParse(url) || URL.canParse(url.replace('@/', '@socket/'))
}

/** Pages and links start at the root, so the URL must not have a path. */
function readPublicUrl(value: string | undefined, problems: string[]): string | undefined {
  if (value === undefined) return undefined
  const url = URL.canParse(value) ? new URL(value) : undefined
  // Only an origin is allowed, with or without a trailing slash.
  if (url && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/`) return url.origin
  problems.push(
    'PUBLIC_URL must be the public URL of the service, without a path, such as https://loyalty.example.com.',
  )
  return undefined
}

/**
 * With RATE_LIMIT=off the others are off as well unless they are set, so that a benchmark needs one setting.
 */
function readRateLimits(read: Reader): Config['rateLimits'] {
  const limit = (name: SettingName, value: string | undefined, fallback: number | undefined) => {
    if (value === undefined) return fallback
    return value === 'off' ? undefined : read.integer(name, 1, 1, 1_000_000_000)
  }
  const organization = limit('RATE_LIMIT', read.text('RATE_LIMIT'), 1_000)
  return {
    organization,
    connection: limit('CONNECTION_RATE_LIMIT', read.text('CONNECTION_RATE_LIMIT'), organization),
    address: limit('ADDRESS_RATE_LIMIT', read.text('ADDRESS_RATE_LIMIT'), organization && 200),
  }
}

function readLogLevel(value: string | undefined, problems: string[]): Config['logLevel'] {
  const level = logLevels.find((known) => known === (value ?? 'info'))
  if (level === undefined) problems.push(`LOG_LEVEL must be one of ${logLevels.join(', ')}, not "${value}".`)
  return level ?? 'info'
}

/** The standard names, so that they can be set for all services of a machine. Without the first, none is read. */
function readTracing(read: Reader, problems: string[]): Config['tracing'] {
  const endpoint = read.text('OTEL_EXPORTER_OTLP_ENDPOINT')
  const headers = read.text('OTEL_EXPORTER_OTLP_HEADERS')
  const serviceName = read.text('OTEL_SERVICE_NAME') ?? 'loyalty-wallet'
  const ratio = read.text('OTEL_TRACES_SAMPLER_ARG') ?? '1'
  if (endpoint === undefined) return undefined
  const url = URL.canParse(endpoint) ? new URL(endpoint) : undefined
  if (!url || !/^https?:$/.test(url.protocol) || url.username !== '' || url.search !== '') {
    problems.push(
      'OTEL_EXPORTER_OTLP_ENDPOINT must be the URL of a collector that speaks OTLP over HTTP, such as http://127.0.0.1:4318.',
    )
  }
  if (!/^(?:0|1|[01]?\.\d+)$/.test(ratio) || Number(ratio) > 1) {
    problems.push(`OTEL_TRACES_SAMPLER_ARG must be a share from 0 to 1, such as 0.1, not "${ratio}".`)
  }
  return {
    endpoint: endpoint.replace(/\/+$/, ''),
    headers: readHeaders(headers, problems),
    serviceName,
    sampleRatio: Number(ratio),
  }
}

/** `name=value,name=value`, percent-encoded. The message does not repeat them, because they are credentials. */
function readHeaders(text: string | undefined, problems: string[]): Record<string, string> {
  const pairs = (text ?? '').split(',').filter((pair) => pair.trim() !== '')
  const parsed = pairs.map((pair) => /^\s*([\w!#$%&'*+.^`|~-]+)\s*=\s*(.*?)\s*$/.exec(pair))
  const values = parsed.map((match) => decoded(match?.[2]))
  if (values.some((value) => value === undefined || !/^[\x20-\x7e]*$/.test(value))) {
    problems.push('OTEL_EXPORTER_OTLP_HEADERS must be name=value,name=value, with percent-encoded values.')
    return {}
  }
  return Object.fromEntries(parsed.map((match, i) => [match![1]!.toLowerCase(), values[i]!]))
}

function decoded(text: string | undefined): string | undefined {
  try {
    return text === undefined ? undefined : decodeURIComponent(text)
  } catch {
    return undefined
  }
}

function readTls(read: Reader, cwd: string, problems: string[]): Config['tls'] {
  const certPath = resolved(cwd, read.text('TLS_CERT'))
  const keyPath = resolved(cwd, read.text('TLS_KEY'))
  if (certPath === undefined && keyPath === undefined) return undefined
  if (certPath === undefined || keyPath === undefined) {
    const [given, missing] = certPath === undefined ? ['TLS_KEY', 'TLS_CERT'] : ['TLS_CERT', 'TLS_KEY']
    problems.push(`${given} is set without ${missing}: set both to the paths of PEM files, or neither.`)
  }
  const cert = readPem('TLS_CERT', certPath, problems)
  const key = readPem('TLS_KEY', keyPath, problems)
  return cert && key ? { cert, key } : undefined
}

function readPem(name: string, path: string | undefined, problems: string[]): Buffer | undefined {
  if (path === undefined) return undefined
  try {
    const content = readFileSync(path)
    if (content.includes('-----BEGIN ')) return content
    problems.push(`${name}=${path} is not a PEM file.`)
  } catch (error) {
    problems.push(`${name}=${path} cannot be read (${(error as NodeJS.ErrnoException).code}).`)
  }
  return undefined
}

/** Credentials are sent only over HTTPS, except on the loopback interface, where no one can listen in. */
function requireHttps(config: Config, read: Reader, problems: string[]): void {
  // A certificate that is set but unusable is already reported.
  const wantsTls = read.text('TLS_CERT') !== undefined || read.text('TLS_KEY') !== undefined
  if (isLoopback(config.host) || wantsTls || config.trustProxy || config.allowHttp) return
  problems.push(
    `HOST=${config.host} is reachable from other computers, and credentials must only be sent over HTTPS. Set TLS_CERT and TLS_KEY, or TRUST_PROXY=1 behind a proxy that terminates TLS, or ALLOW_HTTP=1 if you know that plain HTTP is safe here.`,
  )
}

/** Whether other computers use the service, under a host name that we cannot know. */
export function isReachedElsewhere({ host, trustProxy }: Pick<Config, 'host' | 'trustProxy'>): boolean {
  return trustProxy || !isLoopback(host)
}

export function isLoopback(host: string): boolean {
  const name = host.toLowerCase()
  return name === 'localhost' || name === '::1' || /^127(\.\d{1,3}){3}$/.test(name)
}

function resolved(cwd: string, path: string | undefined): string | undefined {
  return path === undefined ? undefined : resolve(cwd, path)
}

/** URL of the service on this computer. */
export function baseUrlOf(port: number, config: Config): string {
  // If the service listens on all addresses, the URL to paste is still this computer's own.
  const address = { '0.0.0.0': '127.0.0.1', '::': '::1' }[config.host] ?? config.host
  const host = address.includes(':') ? `[${address}]` : address
  return `${config.tls ? 'https' : 'http'}://${host}:${port}`
}
