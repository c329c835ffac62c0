import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Command } from 'commander'
import { type RefusalCode, refusals } from '../domain/refusal.ts'
import { callService, type ServiceReply } from './call-service.ts'
import { addCommand, type CommandOutput, type Context } from './command.ts'
import { reasonOf } from './explain-failure.ts'
import { Failure, misused } from './failure.ts'
import { type Environment, readAddressSettings } from './settings.ts'

interface TokenOptions {
  url?: string
}

interface Credentials {
  readonly url: URL
  readonly apiKey: string
  readonly apiSecret: string
  /** Whether they come from the file that our own service wrote on this computer. */
  readonly isDemo: boolean
}

/**
 * Prints only the token, so that it can be used inside another command. Credentials come from the
 * environment: anyone who can list the processes of this computer would see an argument.
 */
export function tokenCommand(program: Command, { env, report }: Context): void {
  addCommand(program, 'token', 'Print a bearer token, for the demo or for given credentials.', [
    'loyalty-wallet token',
    'loyalty-wallet token --json',
    'API_KEY=lwk_… API_SECRET=lws_… loyalty-wallet token --url https://wallet.example.com',
  ])
    .option('--url <address>', 'URL of the service (default: from demo.json, or this computer)')
    .addHelpText(
      'after',
      '  $ curl -H "Authorization: Bearer $(loyalty-wallet token)" http://127.0.0.1:8080/v1/campaigns',
    )
    .action(async (options: TokenOptions) => report(await getToken(env, options)))
}

async function getToken(env: Environment, options: TokenOptions): Promise<CommandOutput> {
  const credentials = await findCredentials(env, options)
  const { status, body } = await askForToken(credentials)
  const token = body?.accessToken
  if (status === 200 && typeof token === 'string') return { text: token, json: body }
  if (typeof body?.message !== 'string' || typeof body.errorcode !== 'number') {
    const message = `${credentials.url.origin} returned ${status} and does not appear to be a Loyalty Wallet. Check --url.`
    throw new Failure('not_a_loyalty_wallet', message)
  }
  const code = body.message
  const reason = body.description || (code in refusals ? refusals[code as RefusalCode] : code)
  throw new Failure(code, `${credentials.url.origin} refused the request: ${reason}`)
}

async function askForToken(credentials: Credentials): Promise<ServiceReply> {
  const { url, apiKey, apiSecret, isDemo } = credentials
  try {
    return await callService(new URL('/auth/token', url), {
      method: 'POST',
      headers: { 'x-api-key': apiKey, 'x-api-secret': apiSecret },
      acceptsAnyCertificate: isDemo,
    })
  } catch (error) {
    const reason = error instanceof Error ? reasonOf(error) : String(error)
    const message = `${url.origin} is not reachable (${reason}). Start the service with "loyalty-wallet serve" or npm start, or use --url to point to a running one.`
    throw new Failure('service_unreachable', message, { cause: error })
  }
}

async function findCredentials(env: Environment, options: TokenOptions): Promise<Credentials> {
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
