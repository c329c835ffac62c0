/**
 * A running service, for the commands of daily work: they speak HTTP like every other client, through our own SDK,
 * which gets and renews tokens, and retries where that is safe.
 */
import { readFileSync } from 'node:fs'
import type { Command } from 'commander'
import {
  createLoyaltyWallet,
  type LoyaltyWallet,
  OutcomeUnknown,
  Refusal,
  Unavailable,
} from '../../sdk/src/index.ts'
import { fetchFromOwnService } from './call-service.ts'
import { addCommand, type Context } from './command.ts'
import { type Credentials, findCredentials, type ServiceOptions } from './credentials.ts'
import { reasonOf } from './explain-failure.ts'
import { Failure, misused } from './failure.ts'

export type { ServiceOptions } from './credentials.ts'

/** Adds a command that speaks to a running service. */
export function addServiceCommand(
  parent: Command,
  name: string,
  description: string,
  examples: readonly string[],
): Command {
  return addCommand(parent, name, description, examples)
    .option('--url <address>', 'URL of the service (default: that of the profile, or of the demo)')
    .option('--profile <name>', 'credentials stored by "login" under this name')
}

/** Runs `work` with a client, and turns what the client throws into a message that says what to do. */
export async function withWallet<T>(
  { env }: Pick<Context, 'env'>,
  options: ServiceOptions,
  work: (wallet: LoyaltyWallet, credentials: Credentials) => Promise<T>,
): Promise<T> {
  const credentials = await findCredentials(env, options)
  return explainingCalls(credentials, () => work(openWallet(credentials), credentials))
}

export function openWallet({ url, apiKey, apiSecret, isDemo }: Credentials): LoyaltyWallet {
  return createLoyaltyWallet({
    baseUrl: baseOf(url),
    apiKey,
    apiSecret,
    // A person is waiting, and each attempt may take another two to get a token.
    attempts: 2,
    ...(isDemo && url.protocol === 'https:' && { fetch: fetchFromOwnService }),
  })
}

export const baseOf = (url: URL) => url.origin + url.pathname.replace(/\/+$/, '')

export async function explainingCalls<T>(credentials: Credentials, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw explainCall(error, credentials)
  }
}

function explainCall(error: unknown, { url, profile }: Credentials): unknown {
  if (error instanceof Refusal) {
    const { code, status, body } = error
    const advice = adviceFor(status, profile)
    return new Failure(code, `${url.origin} refused the request: ${body.description || code}${advice}`, {
      cause: error,
      ...(body.problems && { problems: body.problems }),
    })
  }
  if (error instanceof OutcomeUnknown) {
    const message = `${url.origin} did not answer (${reasonOfCall(error)}), so it is not known whether this has happened. Look before you run it again.`
    return new Failure('outcome_unknown', message, { cause: error })
  }
  if (error instanceof Unavailable) {
    const reason = reasonOfCall(error)
    if (/certificate/i.test(reason)) {
      const advice = `${url.origin} has a certificate that this computer does not trust (${reason}). Set NODE_EXTRA_CA_CERTS to the file of the authority that issued it, and use the name it was issued for.`
      return new Failure('certificate_untrusted', advice, { cause: error })
    }
    const message = `${url.origin} is not reachable (${reason}). Start the service with "loyalty-wallet serve" or npm start, or use --url to point to a running one.`
    return new Failure('service_unreachable', message, { cause: error })
  }
  return error
}

function adviceFor(status: number, profile: string | undefined): string {
  if (status === 401)
    return profile === undefined
      ? ' Check API_KEY and API_SECRET, or log in: loyalty-wallet login'
      : ` Log in again: loyalty-wallet login --name ${profile}`
  if (status === 403)
    return ' Use a connection with the scope that this needs: manage for everything but sales.'
  return ''
}

function reasonOfCall(error: Error): string {
  let cause: unknown = error
  while (cause instanceof Error && cause.cause instanceof Error) cause = cause.cause
  return cause instanceof Error ? reasonOf(cause) : String(cause)
}

/** Asks before something is changed. Where nobody can answer, `--yes` has to say it. */
export async function confirm(
  context: Context,
  question: string,
  isSure: boolean | undefined,
): Promise<void> {
  if (isSure) return
  if (!context.ask || context.isJson)
    throw new Failure('not_confirmed', 'Nothing was changed. Add --yes to do this without being asked.')
  const answer = await context.ask(`${question} [y/N] `)
  if (!/^y(?:es)?$/i.test(answer)) throw new Failure('not_confirmed', 'Nothing was changed.')
}

/** Reads a JSON document from a file, or with `-` from what is piped in. */
export async function readDocument(context: Context, path: string): Promise<unknown> {
  const text = path === '-' ? await context.readInput() : readText(path)
  try {
    return JSON.parse(text)
  } catch (error) {
    throw misused(`${path === '-' ? 'The input' : path} is not JSON: ${(error as Error).message}`)
  }
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw misused(`${path} cannot be read (${(error as NodeJS.ErrnoException).code}).`)
  }
}
