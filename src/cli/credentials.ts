/** The credentials of a connection, for commands that speak to a running service. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Failure, misused } from './failure.ts'
import { type Environment, readAddressSettings } from './settings.ts'

export interface Credentials {
  readonly url: URL
  readonly apiKey: string
  readonly apiSecret: string
  /** Only of the demo. */
  readonly campaign?: string
  /** Whether they come from the file that our own service wrote on this computer. */
  readonly isDemo: boolean
}

/**
 * From the environment, since anyone who can list the processes of this computer would see an argument, or those of
 * the demo.
 */
export async function findCredentials(
  env: Environment,
  options: { readonly url?: string },
): Promise<Credentials> {
  const { API_KEY: key, API_SECRET: secret } = env
  if (!key !== !secret) {
    throw misused('Set both API_KEY and API_SECRET, or neither to use the demo.')
  }
  const { dataDir, port } = readAddressSettings(env)
  const demo = await readDemo(join(dataDir, 'demo.json'))
  if (key && secret) {
    const url = readUrl(options.url ?? demo?.baseUrl ?? `http://127.0.0.1:${port}`)
    return { url, apiKey: key, apiSecret: secret, isDemo: options.url === undefined && demo !== undefined }
  }
  if (!demo) {
    throw new Failure(
      'no_demo',
      `There is no demo.json in ${dataDir}. Start the service with the demo, set DATA_DIR to the folder it uses, or set API_KEY and API_SECRET and add --url.`,
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

function readUrl(text: string): URL {
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

async function readDemo(path: string): Promise<DemoFile | undefined> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw new Failure(
      'no_demo',
      `${path} cannot be read (${error.code}). Run this as the user that runs the service.`,
    )
  })
  return text === undefined ? undefined : JSON.parse(text)
}
