/** The log: JSON lines, readable ones on a terminal, and never a credential or anything of a person in it. */
import pino, { type Logger, type LoggerOptions } from 'pino'

export type { Logger }

const redacted = [
  'authorization',
  'cookie',
  '*.authorization',
  '*.cookie',
  'headers["x-api-key"]',
  'headers["x-api-secret"]',
  '*.headers["x-api-key"]',
  '*.headers["x-api-secret"]',
  'phone',
  'email',
  'fullname',
  '*.phone',
  '*.email',
  '*.fullname',
  'apiKey',
  'apiSecret',
  'accessToken',
  'refreshToken',
]

export function createLogger(level: string, to: { isTerminal: boolean; toStderr: boolean }): Logger {
  const options: LoggerOptions = {
    level,
    redact: { paths: redacted, censor: '[redacted]' },
    serializers: {
      err: errorForLog,
      // The query may hold a phone number or an e-mail address.
      req: (request: { method: string; url: string; id: string }) => ({
        id: request.id,
        method: request.method,
        path: request.url.split('?', 1)[0],
      }),
    },
    ...(to.isTerminal &&
      !to.toStderr && { transport: { target: 'pino-pretty', options: { ignore: 'pid,hostname' } } }),
  }
  return to.toStderr ? pino(options, pino.destination(2)) : pino(options)
}

/** PostgreSQL puts the offending values into `detail` and `where`; the code and the constraint say enough. */
function errorForLog(error: Error & { code?: string; constraint?: string }) {
  return {
    type: error.name,
    message: error.message,
    code: error.code,
    constraint: error.constraint,
    stack: error.stack,
  }
}
