import { setTimeout as sleep } from 'node:timers/promises'
import type { Command } from 'commander'
import { createSender, type Send } from '../operations/outbound/send.ts'
import { newSigningKey, signatureHeaders, toSecret } from '../operations/outbound/sign.ts'
import { addCommand, type Context } from './command.ts'
import { addTailOptions, eachEvent, type TailOptions } from './events.ts'
import { misused } from './failure.ts'
import type { LoyaltyEvent } from './follow-events.ts'
import { addServiceCommand } from './open-wallet.ts'
import { toPlain } from './table.ts'

interface ListenOptions extends TailOptions {
  readonly forwardTo: string
}

export function webhooksCommand(program: Command, context: Context): void {
  const group = addCommand(program, 'webhooks', 'Try a receiver of webhooks on this computer.', [
    'loyalty-wallet webhooks listen --forward-to http://localhost:3000/hooks',
  ])
  addTailOptions(
    addServiceCommand(
      group,
      'listen',
      'Send events to an address of this computer as webhooks would be, signed, until Ctrl-C.',
      [
        'loyalty-wallet webhooks listen --forward-to http://localhost:3000/hooks',
        'WEBHOOK_SECRET=whsec_… loyalty-wallet webhooks listen --forward-to localhost:3000 --type coupon.granted',
        'loyalty-wallet webhooks listen --forward-to localhost:3000 --since 1h --no-follow',
      ],
    ),
  )
    .requiredOption('--forward-to <address>', 'where to send them with POST')
    .addHelpText(
      'after',
      '\nNothing is registered at the service: the events are read and sent from here. The secret is that in WEBHOOK_SECRET, or a new one that is printed at the start. What is not answered with 2xx is sent again three times, as the service would do for days.',
    )
    .action((options: ListenOptions) => listen(context, options))
}

/** Accepts `localhost:3000/hooks` as people write it. */
function readAddress(text: string): string {
  const whole = /^https?:\/\//.test(text) ? text : `http://${text}`
  if (URL.canParse(whole) && /^https?:\/\/[^/]/.test(whole)) return new URL(whole).href
  throw misused(`--forward-to: "${text}" is not a URL such as http://localhost:3000/hooks.`)
}

function readKey(secret: string | undefined): Buffer {
  if (!secret) return newSigningKey()
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
  if (/^(?:whsec_)?[A-Za-z0-9+/]+={0,2}$/.test(secret) && key.length >= 24) return key
  throw misused('WEBHOOK_SECRET is not the secret of a webhook: whsec_ and at least 24 bytes as base64.')
}

async function listen(context: Context, options: ListenOptions): Promise<void> {
  const url = readAddress(options.forwardTo)
  const key = readKey(context.env.WEBHOOK_SECRET)
  // The service's own sender, without its protection of the network that it runs in: the address is yours.
  const { send, close } = createSender({ addresses: { isAllowed: () => true, isOwn: () => true } })
  const greet = () => {
    const secret = context.env.WEBHOOK_SECRET ? 'that in WEBHOOK_SECRET' : toSecret(key)
    context.line({
      text: `Sending events to ${url}\nSigned with the secret ${secret}\n`,
      json: { forwardTo: url, ...(!context.env.WEBHOOK_SECRET && { secret: toSecret(key) }) },
    })
  }
  try {
    await eachEvent(
      context,
      options,
      (event, _, signal) => deliver(context, { url, key, send, signal }, event),
      greet,
    )
  } finally {
    close()
  }
}

interface Receiver {
  readonly url: string
  readonly key: Buffer
  readonly send: Send
  readonly signal: AbortSignal
}

const pausesMs = [1_000, 3_000, 10_000]

async function deliver(context: Context, receiver: Receiver, event: LoyaltyEvent): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const { status, durationMs, error, retryAfterMs } = await sendOnce(receiver, event)
    const isDelivered = status !== undefined && status >= 200 && status < 300
    const pauseMs = isDelivered ? undefined : pausesMs[attempt - 1]
    const shown = status === undefined ? toPlain(error ?? 'no answer') : String(status)
    const next =
      isDelivered || status === 410
        ? ''
        : pauseMs === undefined
          ? '; given up'
          : `; again in ${pauseMs / 1000} s`
    context.line({
      text: `${context.style(isDelivered ? 'green' : 'red', shown.padEnd(3))}  ${event.type}  ${event.id}  ${durationMs} ms${next}`,
      json: { event: event.id, type: event.type, attempt, status, error, durationMs, isDelivered },
    })
    if (pauseMs === undefined || status === 410) return
    await sleep(Math.max(pauseMs, Math.min(retryAfterMs ?? 0, 60_000)), undefined, receiver)
  }
}

function sendOnce({ url, key, send }: Receiver, event: LoyaltyEvent) {
  const now = new Date()
  const body = JSON.stringify(event)
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'Loyalty-Wallet-Webhooks/1',
    ...signatureHeaders({ id: event.id, body }, [key], now),
  }
  return send({ url, headers, body }, now)
}
