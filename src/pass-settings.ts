/** The settings for passes in Apple Wallet and Google Wallet, for organizations without keys of their own. */
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { AppleKeysInput, GoogleKeysInput } from './operations/passes/check-keys.ts'
import { type PassInstallation, publicHosts } from './operations/passes/installation.ts'

type Name =
  | 'APPLE_PASS_CERT'
  | 'APPLE_PASS_KEY'
  | 'APPLE_PASS_KEY_PASSPHRASE'
  | 'APPLE_PASS_ISSUER_CERT'
  | 'APPLE_PASS_TYPE'
  | 'APPLE_TEAM'
  | 'APPLE_PUSH_URL'
  | 'GOOGLE_WALLET_ISSUER'
  | 'GOOGLE_WALLET_KEY'
  | 'GOOGLE_WALLET_URL'
  | 'GOOGLE_TOKEN_URL'

interface Source {
  readonly values: Readonly<Record<Name, string | undefined>>
  readonly cwd: string
  readonly problems: string[]
}

/** Whether the keys are any good is said in the log and by the API: one that has expired must not stop a start. */
export function readPassSettings(
  values: Source['values'],
  cwd: string,
  problems: string[],
): PassInstallation {
  const source = { values, cwd, problems }
  return {
    apple: readApple(source),
    google: readGoogle(source),
    hosts: {
      applePush: readHost(source, 'APPLE_PUSH_URL', publicHosts.applePush),
      googleApi: readHost(source, 'GOOGLE_WALLET_URL', publicHosts.googleApi),
      googleToken: readHost(source, 'GOOGLE_TOKEN_URL', publicHosts.googleToken),
    },
  }
}

function readApple(source: Source): AppleKeysInput | undefined {
  const names = ['APPLE_PASS_CERT', 'APPLE_PASS_KEY', 'APPLE_PASS_ISSUER_CERT'] as const
  if (!isComplete(source, names)) return undefined
  const [certificate, privateKey, intermediate] = names.map((name) => readFile(source, name))
  if (certificate === undefined || privateKey === undefined) return undefined
  return {
    certificate,
    privateKey,
    intermediate,
    passphrase: source.values.APPLE_PASS_KEY_PASSPHRASE,
    passType: source.values.APPLE_PASS_TYPE,
    team: source.values.APPLE_TEAM,
  }
}

function readGoogle(source: Source): GoogleKeysInput | undefined {
  if (!isComplete(source, ['GOOGLE_WALLET_ISSUER', 'GOOGLE_WALLET_KEY'])) return undefined
  const serviceAccount = readFile(source, 'GOOGLE_WALLET_KEY')
  return serviceAccount === undefined
    ? undefined
    : { issuer: source.values.GOOGLE_WALLET_ISSUER!, serviceAccount }
}

/** All or none of them. */
function isComplete({ values, problems }: Source, names: readonly Name[]): boolean {
  const missing = names.filter((name) => values[name] === undefined)
  if (missing.length === names.length) return false
  if (missing.length > 0) {
    const given = names.filter((name) => !missing.includes(name)).join(' and ')
    problems.push(`${given} is set without ${missing.join(' and ')}: set all of them, or none.`)
  }
  return missing.length === 0
}

function readFile({ values, cwd, problems }: Source, name: Name): string | undefined {
  const path = resolve(cwd, values[name]!)
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    problems.push(`${name}=${path} cannot be read (${(error as NodeJS.ErrnoException).code}).`)
    return undefined
  }
}

function readHost({ values, problems }: Source, name: Name, fallback: string): string {
  const value = values[name] ?? fallback
  const isUrl = URL.canParse(value) && /^https?:$/.test(new URL(value).protocol)
  if (!isUrl) problems.push(`${name} must be a URL, such as ${fallback}.`)
  return value.replace(/\/+$/, '')
}
