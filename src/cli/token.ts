import type { Command } from 'commander'
import { type RefusalCode, refusals } from '../domain/refusal.ts'
import { callService, type ServiceReply } from './call-service.ts'
import type { CommandOutput, Context } from './command.ts'
import { type Credentials, findCredentials, type ServiceOptions } from './credentials.ts'
import { reasonOf } from './explain-failure.ts'
import { Failure } from './failure.ts'
import { addServiceCommand } from './open-wallet.ts'
import type { Environment } from './settings.ts'

/**
 * Prints only the token, so that it can be used inside another command. Credentials come from the
 * environment: anyone who can list the processes of this computer would see an argument.
 */
export function tokenCommand(program: Command, { env, report }: Context): void {
  addServiceCommand(program, 'token', 'Print a bearer token, for the demo or for given credentials.', [
    'loyalty-wallet token',
    'loyalty-wallet token --json',
    'API_KEY=lwk_… API_SECRET=lws_… loyalty-wallet token --url https://wallet.example.com',
  ])
    .addHelpText(
      'after',
      '  $ curl -H "Authorization: Bearer $(loyalty-wallet token)" http://127.0.0.1:8080/v1/campaigns',
    )
    .action(async (options: ServiceOptions) => report(await getToken(env, options)))
}

async function getToken(env: Environment, options: ServiceOptions): Promise<CommandOutput> {
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
