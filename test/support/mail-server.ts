import type { AddressInfo } from 'node:net'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'

/** A mail server that keeps what it is given. */
export interface MailServer {
  readonly port: number
  readonly mails: readonly Mail[]
  /** Called with each mail before it is kept; an error refuses it. */
  onMail: (mail: Mail) => Promise<void> | void
  /** Ends all connections at once. */
  disconnect(): void
  close(): Promise<void>
}

export interface Mail {
  readonly from: string
  readonly to: readonly string[]
  readonly headers: ReadonlyMap<string, string>
  readonly raw: string
}

export const mailUser = { user: 'loyalty', password: 'correct horse battery' }

/** With TLS only if it gets a key; then it asks for the user and the password. */
export async function startMailServer(options: SMTPServerOptions = {}): Promise<MailServer> {
  const mails: Mail[] = []
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: options.key ? [] : ['STARTTLS'],
    onAuth({ username, password }, _session, done) {
      if (username === mailUser.user && password === mailUser.password) done(null, { user: username })
      else done(new Error('Invalid user or password'))
    },
    onData(stream, session, done) {
      let raw = ''
      stream.setEncoding('utf8')
      stream.on('data', (part) => {
        raw += part
      })
      stream.on('end', async () => {
        const { mailFrom, rcptTo } = session.envelope
        const mail: Mail = {
          from: mailFrom ? mailFrom.address : '',
          to: rcptTo.map(({ address }) => address),
          headers: headersOf(raw),
          raw,
        }
        try {
          await mailServer.onMail(mail)
          mails.push(mail)
          done()
        } catch (error) {
          done(error as Error)
        }
      })
    },
    ...options,
  })
  server.on('error', () => {})
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()))
  const mailServer: MailServer = {
    port: (server.server.address() as AddressInfo).port,
    mails,
    onMail: () => {},
    disconnect() {
      for (const { _socket } of server.connections) _socket.destroy()
    },
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
  return mailServer
}

function headersOf(raw: string): Map<string, string> {
  const head = raw.split('\r\n\r\n', 1)[0]!.replace(/\r\n[ \t]+/g, ' ')
  return new Map(
    head.split('\r\n').map((line) => {
      const at = line.indexOf(':')
      return [line.slice(0, at).toLowerCase(), line.slice(at + 1).trim()]
    }),
  )
}

/** An error with which the mail server refuses a mail. */
export const refusal = (code: number, text: string): Error =>
  Object.assign(new Error(text), { responseCode: code })

/** The text of a mail, decoded. */
export function textOf({ raw }: Mail): string {
  const part = raw.split(/\r\n--[^\r\n]+\r\n/).find((each) => each.startsWith('Content-Type: text/plain'))!
  const body = part.slice(part.indexOf('\r\n\r\n') + 4)
  if (part.includes('Content-Transfer-Encoding: base64')) return Buffer.from(body, 'base64').toString('utf8')
  const bytes = body
    .replace(/=\r\n/g, '')
    .replace(/=([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)))
  return Buffer.from(bytes, 'latin1').toString('utf8')
}
