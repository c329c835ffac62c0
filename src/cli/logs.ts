import { setTimeout as sleep } from 'node:timers/promises'
import { type Command, Option } from 'commander'
import { type LoyaltyWallet, type Schemas, Unavailable } from '../../sdk/src/index.ts'
import { addCommand, type Context } from './command.ts'
import { readCount } from './events.ts'
import { readSince } from './follow-events.ts'
import { addServiceCommand, type ServiceOptions, withWallet } from './open-wallet.ts'
import { toSecond } from './show.ts'
import { toPlain } from './table.ts'

type Logged = Schemas['LoggedRequest']

interface LogOptions extends ServiceOptions {
  readonly status?: Schemas['RequestOutcome']
  readonly connection?: string
  readonly since: string
  readonly count?: string
  readonly follow?: boolean
}

export function logsCommand(program: Command, context: Context): void {
  const group = addCommand(program, 'logs', 'Watch the requests that integrations make.', [
    'loyalty-wallet logs tail',
    'loyalty-wallet logs tail --status refused',
  ])
  addServiceCommand(
    group,
    'tail',
    'Print requests as they come, until Ctrl-C; with --json, one on each line.',
    [
      'loyalty-wallet logs tail',
      'loyalty-wallet logs tail --status refused --since 1h',
      'loyalty-wallet logs tail --since 1d --no-follow --json',
    ],
  )
    .addOption(
      new Option('--status <outcome>', 'only those that ended so').choices(['ok', 'refused', 'failed']),
    )
    .option('--connection <id>', 'only those of this connection')
    .option('--since <time>', 'begin earlier: 10m, 2h, 1d, or a time', '1m')
    .option('--count <number>', 'end after this many')
    .option('--no-follow', 'end after what was logged so far')
    .addHelpText(
      'after',
      '\nThe service writes its request log in groups, so a request appears after some seconds.',
    )
    .action((options: LogOptions) => tail(context, options))
}

const everyMs = 2_000
/** Requests are logged in groups, which may come in another order than they arrived in. */
const overlapMs = 30_000

async function tail(context: Context, options: LogOptions): Promise<void> {
  const { from = new Date() } = readSince(options.since, new Date())
  const most = readCount(options.count)
  const seen = new Set<string>()
  await context.untilStopped((signal) =>
    withWallet(context, options, async (wallet) => {
      for (let since = from, count = 0; !signal.aborted; ) {
        const fresh = (await listSince(wallet, since, options, count > 0)).filter(({ id }) => !seen.has(id))
        for (const request of fresh) {
          seen.add(request.id)
          context.line({ text: toLine(context, request), json: request })
          count += 1
          if (count >= most) return
        }
        if (options.follow === false) return
        const newest = fresh.at(-1)?.at
        if (newest !== undefined) since = new Date(Math.max(from.getTime(), Date.parse(newest) - overlapMs))
        await sleep(everyMs, undefined, { signal })
      }
    }),
  )
}

/** The oldest first. Looking into the log is not part of what an integration does. */
async function listSince(
  wallet: LoyaltyWallet,
  from: Date,
  { status, connection }: LogOptions,
  isPatient: boolean,
): Promise<Logged[]> {
  const found: Logged[] = []
  try {
    const query = { from: from.toISOString(), limit: 100, status, connection }
    for await (const request of wallet.listRequests(query))
      if (!request.path.startsWith('/v1/requests')) found.push(request)
  } catch (error) {
    // The service may just be restarting; what is missing now is found the next time.
    if (!(isPatient && error instanceof Unavailable)) throw error
    return []
  }
  return found.reverse()
}

function toLine({ style }: Context, { at, method, path, status, durationMs, by, errorCode }: Logged): string {
  const color = status >= 500 ? 'red' : status >= 400 ? 'yellow' : 'green'
  return [
    style('dim', toSecond(at)),
    style(color, String(status)),
    `${method.padEnd(6)} ${toPlain(path)}`,
    style('dim', `${Math.round(durationMs)} ms`),
    ...(errorCode === undefined ? [] : [style(color, errorCode)]),
    style('dim', toPlain(by.name ?? by.id)),
  ].join('  ')
}
