/**
 * Sends SMS through an address of the merchant's choice, signed as webhooks are: a few lines in front of any
 * provider. The ID of the message goes with every attempt, so that a receiver never sends one twice.
 */

import type { SendResult, SmsSettings } from '../../domain/message.ts'
import { isSuccess } from '../../domain/webhook.ts'
import type { Send } from '../outbound/send.ts'
import { signatureHeaders } from '../outbound/sign.ts'

export interface Sms {
  readonly id: string
  readonly to: string
  readonly text: string
}

export async function sendSms(
  { url }: SmsSettings,
  key: Buffer,
  send: Send,
  { id, to, text }: Sms,
  now: Date,
): Promise<SendResult> {
  const body = JSON.stringify({ id, type: 'sms.send', timestamp: now.toISOString(), data: { to, text } })
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'Loyalty-Wallet-Messages/1',
    ...signatureHeaders({ id, body }, [key], now),
  }
  const made = await send({ url, headers, body }, now)
  const { status = 0, response, retryAfterMs } = made
  if (isSuccess(made)) return { kind: 'sent', response }
  if (made.error !== undefined)
    return { kind: 'deferred', code: 'unreachable', error: made.error, isSenderFault: true }
  const error = `The provider answered with ${status}.`
  // It understood the message, and does not want it: a number that is none, for example.
  if ([400, 404, 410, 422].includes(status))
    return { kind: 'refused', code: 'message_refused', error, response }
  return { kind: 'deferred', code: 'provider_failed', error, response, retryAfterMs, isSenderFault: true }
}
