/**
 * The credentials of a connection, for commands that speak to a running service. In this order: the profile named
 * with --profile, those in the environment, the profile that `login` stored, those of the demo. They are never
 * arguments, since anyone who can list the processes of this computer would see them.
 */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Failure, misused } from './failure.ts'
import { type Profile, type Profiles, readProfiles } from './profiles.ts'
import { type Environment, readAddressSettings } from './settings.ts'

export interface Credentials {
  readonly url: URL
  readonly apiKey: string
  readonly apiSecret: string
  /** Only of the demo. */
  readonly campaign?: string
  /** Whether they come from the file that our own service wrote on this computer. */
  readonly isDemo: boolean
  /** Name of the profile that they come from. */
  readonly profile?: string
}

export interface ServiceOptions {
  readonly url?: string
  readonly profile?: string
}

export async function findCredentials(env: Environment, options: ServiceOptions): Promise<Credentials> {
  const { API_KEY: key, API_SECRET: secret } = env
  if (options.profile !== undefined)
    return fromNamedProfile(await readProfiles(env), options.profile, options)
  if (!key !== !secret) {
    throw misused('Set both API_KEY and API_SECRET, or neither to use a stored profile or the demo.')
  }
  const { dataDir, port } = readAddressSettings(env)
  if (key && secret) {
    const demo = await readDemo(dataDir)
    const url = readUrl(options.url ?? demo?.baseUrl ?? `http://127.0.0.1:${port}`)
    return { url, apiKey: key, apiSecret: secret, isDemo: options.url === undefined && demo !== undefined }
  }
  return (await fromProfile(env, options)) ?? fromDemo(dataDir, options)
}

async function fromProfile(env: Environment, options: ServiceOptions): Promise<Credentials | undefined> {
  const stored = await readProfiles(env)
  const named = env.LOYALTY_WALLET_PROFILE
  if (named) return fromNamedProfile(stored, named, options)
  const profile = stored.current === undefined ? undefined : stored.profiles[stored.current]
  // A secret is only sent to the service that it belongs to.
  if (!profile || !isFor(profile, options)) return undefined
  return toCredentials(stored.current!, profile)
}

function fromNamedProfile(stored: Profiles, name: string, options: ServiceOptions): Credentials {
  const profile = Object.hasOwn(stored.profiles, name) ? stored.profiles[name] : undefined
  if (!profile) {
    const known = Object.keys(stored.profiles)
    const hint = known.length > 0 ? `There are: ${known.join(', ')}.` : 'None is stored yet.'
    throw misused(`There is no profile "${name}". ${hint} Store one: loyalty-wallet login --name ${name}`)
  }
  if (isFor(profile, options)) return toCredentials(name, profile)
  throw misused(
    `The profile "${name}" is for ${profile.url}, and its secret is not sent anywhere else. Leave out --url, or log in there: loyalty-wallet login --url ${options.url}`,
  )
}

const isFor = ({ url }: Profile, options: ServiceOptions) =>
  options.url === undefined || readUrl(options.url).href === readUrl(url).href

const toCredentials = (name: string, { url, apiKey, apiSecret }: Profile): Credentials => ({
  url: readUrl(url),
  apiKey,
  apiSecret,
  isDemo: false,
  profile: name,
})

async function fromDemo(dataDir: string, options: ServiceOptions): Promise<Credentials> {
  const demo = await readDemo(dataDir)
  if (!demo) {
    throw new Failure(
      'no_demo',
      `There is no demo.json in ${dataDir}. Log in to a service with "loyalty-wallet login", start one with the demo, set DATA_DIR to the folder it uses, or set API_KEY and API_SECRET and add --url.`,
    )
  }
  return {
    url: readUrl(options.url ?? demo.baseUrl),
    apiKey: demo.apiKey,
    apiSecret: demo.apiSecret,
    campaign: demo.campaignId,
    isDemo: options.url === undefined,
  }
}

export function readUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url && ['http:', 'https:'].includes(url.protocol)) return url
  throw misused(`--url: "${text}" is not a URL such as http://127.0.0.1:8080.`)
}

interface DemoFile {
  readonly baseUrl: string
  readonly apiKey: string
  readonly apiSecret: string
  readonly campaignId: string
}

export async function readDemo(dataDir: string): Promise<DemoFile | undefined> {
  const path = join(dataDir, 'demo.json')
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw new Failure(
      'no_demo',
      `${path} cannot be read (${error.code}). Run this as the user that runs the service.`,
    )
  })
  return text === undefined ? undefined : JSON.parse(text)
}
