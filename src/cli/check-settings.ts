/**
 * What each setting is, where it comes from, and what is wrong with it: invalid, or valid and dangerous. `config check`
 * shows all of it, and the doctor what is not in order.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import {
  type Config,
  isLoopback,
  isReachedElsewhere,
  type ReadSettings,
  readSettings,
  type SettingName,
  settingList,
} from '../config.ts'
import { createAddresses } from '../operations/outbound/addresses.ts'
import { nameDatabase } from './explain-failure.ts'
import { type Finding, problem, warning } from './finding.ts'
import type { Environment } from './settings.ts'

export interface ExaminedSetting {
  readonly name: SettingName
  /** Without what is secret; undefined if nothing is set and there is no default. */
  readonly value?: string
  readonly origin: 'environment' | 'default' | 'secrets.json' | 'not set'
  readonly meaning: string
  readonly status: Finding['status']
  /** Everything that is not in order, and what to do about it. */
  readonly findings: readonly Finding[]
}

/** Reads the settings as the service does, and creates nothing. `more` is what is known about some of them besides. */
export function examineSettings(
  env: Environment,
  more: readonly { readonly name: SettingName; readonly finding: Finding }[] = [],
): ExaminedSetting[] {
  const read = readSettings({ ...env })
  const findings = [
    ...read.problems.map((text) => ({
      name: nameIn(text),
      finding: problem('settings', text, 'Correct the environment and start again.'),
    })),
    ...risks(read).map(([name, message, advice]) => ({
      name,
      finding: warning('settings', message, advice),
    })),
    ...more.filter(({ finding }) => finding.status !== 'ok'),
  ]
  return (Object.keys(settingList) as SettingName[]).map((name) => {
    const own = findings.filter((each) => each.name === name).map(({ finding }) => finding)
    const isInvalid = own.some(({ status }) => status === 'problem')
    return {
      name,
      ...describeValue(name, read, isInvalid),
      meaning: settingList[name].meaning,
      status: own.length === 0 ? 'ok' : isInvalid ? 'problem' : 'warning',
      findings: own,
    }
  })
}

const secretNames = ['ADMIN_TOKEN', 'JWT_SECRET', 'CREDENTIAL_PEPPER'] as const
const isSecretOfOurs = (name: SettingName) => secretNames.some((secret) => secret === name)

/** A message begins with the name of its setting. */
const nameIn = (message: string) => /^[A-Z_]+/.exec(message)?.[0] as SettingName

function describeValue(
  name: SettingName,
  { config, given }: ReadSettings,
  isInvalid: boolean,
): Pick<ExaminedSetting, 'value' | 'origin'> {
  const text = given.get(name)
  if (text !== undefined) return { value: shown(name, text, config, isInvalid), origin: 'environment' }
  const fallback = settingList[name].default
  const isGenerated =
    config.demo && isSecretOfOurs(name) && !(name === 'CREDENTIAL_PEPPER' && given.has('JWT_SECRET'))
  if (isGenerated && existsSync(join(config.dataDir, 'secrets.json'))) {
    return { value: '(secret)', origin: 'secrets.json' }
  }
  return fallback === undefined ? { origin: 'not set' } : { value: fallback, origin: 'default' }
}

const urls: readonly SettingName[] = ['PUBLIC_URL', 'OTEL_EXPORTER_OTLP_ENDPOINT']

/** A URL that is not valid may contain a password where none is expected. */
function shown(name: SettingName, text: string, config: Config, isInvalid: boolean): string {
  if (settingList[name].isSecret) return `(secret, ${text.length} characters)`
  const isDatabase = name === 'DATABASE_URL' || name === 'READ_DATABASE_URL'
  if (isInvalid && (isDatabase || urls.includes(name)))
    return '(not shown, because it may contain a password)'
  return isDatabase ? nameDatabase({ ...config, databaseUrl: text }) : text
}

/** The setting, what is dangerous about it, and what to do. */
type Risk = readonly [name: SettingName, message: string, advice: string]

function risks(read: ReadSettings): Risk[] {
  return [
    ...risksOfSecrets(read),
    ...risksOfTransport(read),
    ...risksOfDemo(read),
    ...risksOfWebhooks(read),
    ...contradictions(read),
  ]
}

const fewCharacters = 8
const guessable = /^(?:change.?me|passwor[dt]|secret|admin|example|default|letmein|test)/i
function risksOfSecrets({ given }: ReadSettings): Risk[] {
  const advice = 'Set it to the output of: openssl rand -hex 32'
  return secretNames.flatMap((name, i) => {
    const value = given.get(name)
    if (value === undefined) return []
    if (new Set(value).size < fewCharacters || guessable.test(value))
      return [
        [name, `${name} can be guessed: it repeats few characters, or begins with a common word.`, advice],
      ]
    const same = secretNames.slice(0, i).find((other) => given.get(other) === value)
    return same
      ? [
          [
            name,
            `${name} is the same as ${same}, so that one that leaks gives away both.`,
            advice,
          ] satisfies Risk,
        ]
      : []
  })
}

function risksOfTransport({ config, given }: ReadSettings): Risk[] {
  const found: Risk[] = []
  const isPublic = !isLoopback(config.host)
  if (config.allowHttp && !config.tls && !config.trustProxy && isPublic) {
    found.push([
      'ALLOW_HTTP',
      `HOST=${config.host} with ALLOW_HTTP=1: credentials are sent unencrypted.`,
      'Set TLS_CERT and TLS_KEY, or TRUST_PROXY=1 behind a proxy that terminates TLS.',
    ])
  }
  if (config.publicUrl?.startsWith('http:') && !isLoopback(hostOf(config.publicUrl))) {
    found.push([
      'PUBLIC_URL',
      'PUBLIC_URL begins with http: people would sign in unencrypted, and links to wallets could be read on the way.',
      'Set it to an address with https, which a proxy or TLS_CERT and TLS_KEY provide.',
    ])
  }
  const { tracing } = config
  if (given.has('OTEL_EXPORTER_OTLP_HEADERS') && tracing?.endpoint.startsWith('http:')) {
    if (!isLoopback(hostOf(tracing.endpoint))) {
      found.push([
        'OTEL_EXPORTER_OTLP_HEADERS',
        'OTEL_EXPORTER_OTLP_HEADERS are credentials, and are sent unencrypted to another computer.',
        'Set OTEL_EXPORTER_OTLP_ENDPOINT to an address with https.',
      ])
    }
  }
  return found
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).hostname.replace(/^\[(.*)\]$/, '$1') : ''
}

function risksOfDemo({ config, given }: ReadSettings): Risk[] {
  if (!isReachedElsewhere(config)) return []
  const found: Risk[] = []
  if (config.demo) {
    found.push([
      'DEMO',
      'The demo is on, and other computers can reach the service: its credentials are printed at each start.',
      'Set DEMO=0, and ADMIN_TOKEN and JWT_SECRET to secrets of your own.',
    ])
  }
  if (given.get('RATE_LIMIT') === 'off') {
    found.push([
      'RATE_LIMIT',
      'RATE_LIMIT=off: a single client can keep the service busy, and guess credentials as fast as it answers.',
      'Remove it, or set a number of requests per second.',
    ])
  }
  return found
}

/** Where clouds tell a machine its own credentials. */
const metadataAddresses = ['169.254.169.254', 'fd00:ec2::254']

function risksOfWebhooks({ config, given }: ReadSettings): Risk[] {
  if (!given.has('WEBHOOK_ALLOWED_RANGES') || !isReachedElsewhere(config)) return []
  const { isOwn } = createAddresses(config.webhookRanges)
  if (![...metadataAddresses, '127.0.0.1', '::1'].some(isOwn)) return []
  return [
    [
      'WEBHOOK_ALLOWED_RANGES',
      'WEBHOOK_ALLOWED_RANGES includes this computer itself, or the address where clouds hand out credentials: a merchant could have webhooks sent there.',
      'Allow only the ranges that receivers are in.',
    ],
  ]
}

function contradictions({ config, given }: ReadSettings): Risk[] {
  const found: Risk[] = []
  if (config.refreshTokenTtlSeconds < config.accessTokenTtlSeconds) {
    found.push([
      'REFRESH_TOKEN_TTL',
      'REFRESH_TOKEN_TTL is shorter than ACCESS_TOKEN_TTL: a token could never be renewed when it expires.',
      'Set it to a longer time than ACCESS_TOKEN_TTL.',
    ])
  }
  const servesTls = config.tls !== undefined && config.publicUrl?.startsWith('http:')
  if (servesTls) {
    const message =
      'PUBLIC_URL begins with http, but the service itself serves HTTPS: its links would not work.'
    found.push(['PUBLIC_URL', message, 'Let it begin with https.'])
  }
  if (given.has('MAX_DATA_AGE') && !given.has('READ_DATABASE_URL')) {
    const message = 'MAX_DATA_AGE has no effect without READ_DATABASE_URL.'
    found.push(['MAX_DATA_AGE', message, 'Set READ_DATABASE_URL, or remove MAX_DATA_AGE.'])
  }
  return found
}
