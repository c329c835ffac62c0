import type { Command } from 'commander'
import { addCommand, type CommandOutput, type Context } from './command.ts'
import { type Credentials, readDemo, readUrl } from './credentials.ts'
import { misused } from './failure.ts'
import { explainingCalls, openWallet } from './open-wallet.ts'
import { checkProfileName, defaultProfile, deleteProfile, readProfiles, storeProfile } from './profiles.ts'
import { readAddressSettings } from './settings.ts'

interface LoginOptions {
  readonly url?: string
  readonly name: string
}

export function loginCommand(program: Command, context: Context): void {
  addCommand(program, 'login', 'Store the credentials of a service, for the commands of daily work.', [
    'loyalty-wallet login --url https://wallet.example.com',
    'loyalty-wallet login --url https://wallet.example.com --name berlin',
    'API_KEY=lwk_… API_SECRET=lws_… loyalty-wallet login --url https://wallet.example.com',
    'pass show wallet | loyalty-wallet login --url https://wallet.example.com',
  ])
    .option('--url <address>', 'URL of the service (default: it is asked for)')
    .option('--name <name>', 'store them under this name, for --profile', defaultProfile)
    .addHelpText(
      'after',
      '\nKey and secret are asked for, or come from API_KEY and API_SECRET, or as two lines from the input. They are stored in a file of your configuration folder that only you can read, once the service has accepted them.',
    )
    .action(async (options: LoginOptions) => context.report(await logIn(context, options)))
  addCommand(
    program,
    'logout',
    'Delete stored credentials. They stay valid; "connection revoke" ends them.',
    ['loyalty-wallet logout', 'loyalty-wallet logout --name berlin'],
  )
    .option('--name <name>', 'the profile (default: the one in use)')
    .action(async (options: { name?: string }) => context.report(await logOut(context, options.name)))
}

async function logIn(context: Context, options: LoginOptions): Promise<CommandOutput> {
  const name = checkProfileName(options.name)
  const url = readUrl(options.url ?? (await askForUrl(context)))
  if (url.protocol === 'http:' && !isLocal(url))
    context.note('The secret travels unencrypted to this address. Use https:// outside of your own network.')
  const credentials: Credentials = { url, isDemo: false, profile: name, ...(await readPair(context)) }
  const wallet = openWallet(credentials)
  const organization = await explainingCalls(credentials, async () => {
    await wallet.authorization()
    // Each needs another scope, and a connection may have only one of them.
    const { name: found } = await wallet.getTillOrganization().catch(() => wallet.getOrganization())
    return found
  })
  const { apiKey, apiSecret } = credentials
  const file = await storeProfile(context.env, name, { url: url.href, apiKey, apiSecret, organization })
  return {
    text: `Logged in to ${organization} at ${url.origin}, as the profile "${name}" in ${file}.`,
    json: { profile: name, url: url.href, organization, file },
  }
}

async function askForUrl(context: Context): Promise<string> {
  const { dataDir, port } = readAddressSettings(context.env)
  const usual = (await readDemo(dataDir))?.baseUrl ?? `http://127.0.0.1:${port}`
  if (!context.ask) return usual
  return (await context.ask(`URL of the service [${usual}]: `)) || usual
}

const isLocal = ({ hostname }: URL) => ['localhost', '127.0.0.1', '[::1]'].includes(hostname)

async function readPair({ env, ask, readInput }: Context): Promise<{ apiKey: string; apiSecret: string }> {
  const { API_KEY: key, API_SECRET: secret } = env
  if (key && secret) return { apiKey: key, apiSecret: secret }
  const [apiKey, apiSecret] = ask
    ? [await ask('API key: '), await ask('API secret: ', { isSecret: true })]
    : (await readInput()).split(/\r?\n/).map((line) => line.trim())
  if (apiKey && apiSecret) return { apiKey, apiSecret }
  throw misused('Give an API key and an API secret: in API_KEY and API_SECRET, or as two lines of the input.')
}

async function logOut({ env }: Context, named: string | undefined): Promise<CommandOutput> {
  const { current, profiles } = await readProfiles(env)
  const name = named ?? env.LOYALTY_WALLET_PROFILE ?? current ?? Object.keys(profiles)[0]
  const file = name === undefined ? undefined : await deleteProfile(env, name)
  if (file === undefined) {
    const known = Object.keys(profiles)
    const hint = known.length > 0 ? `There are: ${known.join(', ')}.` : 'No credentials are stored.'
    throw misused(name === undefined ? hint : `There is no profile "${name}". ${hint}`)
  }
  return {
    text: `Deleted the profile "${name}" from ${file}. Its credentials stay valid; "loyalty-wallet connection revoke" ends them.`,
    json: { profile: name, file },
  }
}
