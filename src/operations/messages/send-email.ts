/**
 * Sends email through the merchant's mail server, one message after the other on one connection. What matters most
 * is to know whether a message was certainly not sent: the server has all of it only after its content was read.
 */
import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import { Readable } from 'node:stream'
import MailComposer from 'nodemailer/lib/mail-composer'
import SMTPConnection from 'nodemailer/lib/smtp-connection'
import {
  type EmailSettings,
  type MessageFailure,
  messageFailures,
  type SendResult,
} from '../../domain/message.ts'
import type { Addresses } from '../outbound/addresses.ts'

export interface Email {
  readonly to: string
  readonly subject: string
  readonly text: string
  readonly html: string
  readonly headers: Readonly<Record<string, string>>
  /** The same for every attempt, without brackets. */
  readonly messageId: string
}

export interface EmailSender {
  send(email: Email): Promise<SendResult>
  close(): void
}

export interface EmailOptions {
  readonly addresses: Addresses
  /** An additional certificate authority, for tests. */
  readonly ca?: string
  readonly timeoutMs?: number
}

interface SmtpError extends Error {
  code?: string
  responseCode?: number
  response?: string
  command?: string
}

const defaultTimeoutMs = 15_000

/** Connects with the first message, and again after a connection was lost. */
export function openEmailSender(
  settings: EmailSettings,
  password: string | undefined,
  options: EmailOptions,
): EmailSender {
  let connection: SMTPConnection | undefined
  return {
    async send(email) {
      let isHandedOver = false
      try {
        const content = await compose(settings, email)
        if (!connection || connection.destroyed) connection = await connect(settings, password, options)
        const response = await transmit(connection, settings, email.to, () => {
          isHandedOver = true
          return content
        })
        return { kind: 'sent', response: shorten(response) }
      } catch (error) {
        connection?.close()
        connection = undefined
        return toResult(error as SmtpError, isHandedOver, settings)
      }
    },
    close() {
      connection?.quit()
      connection = undefined
    },
  }
}

async function connect(
  settings: EmailSettings,
  password: string | undefined,
  { addresses, ca, timeoutMs = defaultTimeoutMs }: EmailOptions,
): Promise<SMTPConnection> {
  const { security, port, host, user } = settings
  const opened = new SMTPConnection({
    host: await resolve(settings, addresses),
    port,
    secure: security === 'tls',
    requireTLS: security === 'starttls',
    ignoreTLS: security === 'none',
    servername: isIP(host) ? undefined : host,
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    tls: { ca },
  })
  // An error without a listener would end the process.
  opened.on('error', () => {})
  try {
    await promised((done) => {
      opened.once('error', done)
      opened.connect(done)
    })
    if (user !== undefined) await promised((done) => opened.login({ user, pass: password ?? '' }, done))
    return opened
  } catch (error) {
    opened.close()
    throw error
  }
}

/** The content is read when the server is ready for it. Returns what the server said. */
async function transmit(
  connection: SMTPConnection,
  { from }: EmailSettings,
  to: string,
  readContent: () => Buffer,
): Promise<string> {
  const stream = Readable.from(
    (function* () {
      yield readContent()
    })(),
  )
  let response = ''
  await promised((done) => {
    connection.once('error', done)
    connection.send({ from: addressOf(from), to: [to] }, stream, (error, info) => {
      connection.removeListener('error', done)
      response = info?.response ?? ''
      done(error)
    })
  })
  return response
}

type Done = (error?: Error | null) => void

const promised = (start: (done: Done) => void) =>
  new Promise<void>((resolve, reject) => {
    start((error) => (error ? reject(error) : resolve()))
  })

/** The address is checked, and is the one that is used: a name can resolve to something else the second time. */
async function resolve({ host, security }: EmailSettings, addresses: Addresses): Promise<string> {
  const found = isIP(host) ? [{ address: host }] : await lookup(host, { all: true })
  const isAllowed = security === 'none' ? addresses.isOwn : addresses.isAllowed
  if (found.every(({ address }) => isAllowed(address))) return found[0]!.address
  throw Object.assign(new Error('forbidden'), { code: 'FORBIDDEN' })
}

async function compose({ from, replyTo }: EmailSettings, email: Email): Promise<Buffer> {
  const { to, subject, text, html, headers, messageId } = email
  const composer = new MailComposer({
    from,
    to,
    replyTo,
    subject,
    text,
    html,
    headers: { ...headers },
    messageId: `<${messageId}>`,
    // Texts are the merchant's: they must not make us read files or addresses.
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  return composer.compile().build()
}

/** `Bean & Leaf <hello@example.com>` or the address alone. */
export const addressOf = (from: string): string => /<([^<>]+)>\s*$/.exec(from)?.[1] ?? from.trim()

const shownCharacters = 300
const shorten = (text: string | undefined) => text?.slice(0, shownCharacters).replaceAll('\u0000', ' ')

function toResult(error: SmtpError, isHandedOver: boolean, settings: EmailSettings): SendResult {
  const { responseCode: code, command = '' } = error
  const response = shorten(error.response)
  if (error.code === 'EAUTH') {
    return { kind: 'deferred', ...failure('login_refused'), response, isSenderFault: true }
  }
  if (code !== undefined && code >= 400) {
    const isOurs = !['RCPT TO', 'DATA'].includes(command)
    if (isOurs) {
      return { kind: 'deferred', ...failure('sender_refused'), response, isSenderFault: true }
    }
    if (code >= 500) return { kind: 'refused', ...failure('message_refused'), response }
    return { kind: 'deferred', ...failure('try_later'), response }
  }
  if (error.code === 'EENVELOPE') return { kind: 'refused', ...failure('address_invalid'), response }
  if (isHandedOver) {
    return { kind: 'unknown', ...failure('not_confirmed') }
  }
  return { kind: 'deferred', ...explain(error, settings), isSenderFault: true }
}

interface Failure {
  readonly code: MessageFailure
  readonly error: string
}

const failure = (code: MessageFailure, error: string = messageFailures[code]): Failure => ({ code, error })

function explain(error: SmtpError, { host, port, security }: EmailSettings): Failure {
  const { code = '' } = error
  if (code === 'FORBIDDEN') {
    return security === 'none'
      ? failure(
          'not_allowed',
          'Without TLS, only a mail server in a range that the operator has allowed can be used.',
        )
      : failure('not_allowed')
  }
  if (code === 'ENOTFOUND' || code === 'EDNS') {
    return failure('unreachable', `The name ${host} cannot be resolved.`)
  }
  if (code === 'ETLS' || /certificate|TLS|SSL/i.test(error.message)) {
    const what = 'check the port, the kind of encryption and its certificate'
    return failure('no_safe_connection', `No safe connection to ${host}:${port}: ${what}.`)
  }
  if (code === 'ETIMEDOUT') return failure('unreachable', `No answer from ${host}:${port}.`)
  return failure('unreachable', `Cannot connect to ${host}:${port}${code ? ` (${code})` : ''}.`)
}
