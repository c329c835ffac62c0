import { type Command, Option } from 'commander'
import type { LoyaltyWallet } from '../../sdk/src/index.ts'
import { eventTypes } from '../domain/event.ts'
import { addCommand, type Context } from './command.ts'
import { misused } from './failure.ts'
import { type FollowOptions, followEvents, type LoyaltyEvent, readSince } from './follow-events.ts'
import { addServiceCommand, type ServiceOptions, withWallet } from './open-wallet.ts'
import { toSecond } from './show.ts'
import { toPlain } from './table.ts'

export interface TailOptions extends ServiceOptions {
  readonly type?: readonly string[]
  readonly since?: string
  readonly customer?: string
  readonly count?: string
  readonly follow?: boolean
}

export function eventsCommand(program: Command, context: Context): void {
  const group = addCommand(program, 'events', 'Watch what happens in the organization.', [
    'loyalty-wallet events tail',
    'loyalty-wallet events tail --type transaction.processed --since 1h',
  ])
  addTailOptions(
    addServiceCommand(
      group,
      'tail',
      'Print events as they happen, until Ctrl-C; with --json, one on each line.',
      [
        'loyalty-wallet events tail',
        'loyalty-wallet events tail --type coupon.granted coupon.redeemed',
        'loyalty-wallet events tail --since 2h --no-follow --json',
      ],
    ),
  )
    .option('--customer <id>', 'only events of this customer')
    .action((options: TailOptions) => tail(context, options))
}

export function addTailOptions(command: Command): Command {
  return command
    .addOption(
      new Option('--type <types...>', 'only events of these types (default: all)').choices(
        Object.keys(eventTypes),
      ),
    )
    .option('--since <time>', 'begin earlier: 10m, 2h, 1d, a time, or the cursor of an event (default: now)')
    .option('--count <number>', 'end after this many')
    .option('--no-follow', 'end after what has happened so far')
}

export function readCount(text: string | undefined): number {
  if (text === undefined) return Number.POSITIVE_INFINITY
  if (/^[1-9]\d{0,6}$/.test(text)) return Number(text)
  throw misused(`--count: "${text}" is not a number.`)
}

/** Calls `handle` with each event until the command is stopped or has enough. */
export async function eachEvent(
  context: Context,
  options: TailOptions,
  handle: (event: LoyaltyEvent, wallet: LoyaltyWallet, signal: AbortSignal) => Promise<void> | void,
  onStart: () => void = () => {},
): Promise<void> {
  const since = readSince(options.since, new Date())
  const most = readCount(options.count)
  await context.untilStopped((signal) =>
    withWallet(context, options, async (wallet) => {
      const chosen: FollowOptions = {
        since,
        ...(options.type && { types: options.type }),
        customer: options.customer,
        isOnce: options.follow === false,
        signal,
        note: context.note,
      }
      onStart()
      let count = 0
      for await (const event of followEvents(wallet, chosen)) {
        await handle(event, wallet, signal)
        count += 1
        if (count >= most) return
      }
    }),
  )
}

function tail(context: Context, options: TailOptions): Promise<void> {
  return eachEvent(context, options, (event) => context.line({ text: toLine(context, event), json: event }))
}

export function toLine({ style }: Context, { type, timestamp, data }: LoyaltyEvent): string {
  const values = Object.entries(data as Record<string, unknown>).map(([name, value]) => {
    const { kind, id } = (value ?? {}) as { kind?: string; id?: string }
    const actor = kind && [kind, id].filter(Boolean).join(':')
    const shown = actor ?? (typeof value === 'object' ? JSON.stringify(value) : String(value))
    return `${style('dim', `${name}=`)}${toPlain(shown)}`
  })
  return [style('dim', toSecond(timestamp)), style('cyan', type.padEnd(22)), ...values].join('  ')
}
