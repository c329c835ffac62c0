/**
 * The log: JSON lines, pretty-printed on a terminal, and never with credentials or personal data. Properties
 * with a sensitive name are redacted at any depth; so is whatever looks like one of our credentials or like a
 * person's contact data in any text, such as a library's message or the stack of an error.
 */
import pino, { type Logger, type LoggerOptions } from 'pino'

export type { Logger }

/** Where the log goes: to stdout, readable if that is a terminal, or to stderr because stdout has a document. */
export interface LogTarget {
  readonly isTerminal: boolean
  readonly toStderr: boolean
}

export function createLogger(level: string, to: LogTarget): Logger {
  const options: LoggerOptions = {
    ...loggerOptions(level),
    ...(to.isTerminal &&
      !to.toStderr && { transport: { target: 'pino-pretty', options: { ignore: 'pid,hostname' } } }),
  }
  return to.toStderr ? pino(options, pino.destination(2)) : pino(options)
}

export function loggerOptions(level: string): LoggerOptions {
  return {
    level,
    formatters: { log: (details) => redactProperties(details, 0) as Record<string, unknown> },
    hooks: { streamWrite: redactText },
    serializers: {
      err: errorForLog,
      // The query may contain a phone number or an email address.
      req: (request: { method: string; url: string; id: string }) => ({
        id: request.id,
        method: request.method,
        path: request.url.split('?', 1)[0],
      }),
    },
  }
}

/** Replaces a sensitive value. */
export const redacted = '[redacted]'

/**
 * Names of credentials and personal data, in this log and in those that merchants read. In lower case and
 * without dashes, so that `x-api-key` and `apiKey` are the same name.
 */
const words = [
  '(?:proxy)?authorization|(?:set)?cookie|(?:x?api|(?:other)?jwt)?secret|x?apikey|(?:access|refresh|admin)?token',
  '(?:current|new|console)?password|(?:credential)?pepper|databaseurl|connectionstring|invitation|walleturl',
  'privatekey|passphrase|serviceaccount|pushtoken|authenticationtoken',
  'phone|email|firstname|lastname|fullname|customername|metadata|consents',
]

/** Creates a check for sensitive property names; `more` are names that are sensitive only in this context. */
export function sensitiveNames(...more: readonly string[]): (name: string) => boolean {
  const sensitive = new RegExp(`^(?:${[...words, ...more].join('|')})$`)
  return (name) => sensitive.test(name.toLowerCase().replaceAll(/[-_]/g, ''))
}

// In this log a key may be a credential. In logs for merchants it is the key of a balance, and queries and
// bodies are shown.
const isSensitive = sensitiveNames('key', 'q', 'query', 'body')
const maxDepth = 8

function redactProperties(value: unknown, depth: number): unknown {
  if (value instanceof Error) return depth === 1 ? value : errorForLog(value)
  if (typeof value !== 'object' || value === null || value instanceof Date) return value
  // Objects such as a request have their own serializer.
  if (depth === 1 && 'raw' in value) return value
  if (depth >= maxDepth) return redacted
  if (Array.isArray(value)) return value.map((item) => redactProperties(item, depth + 1))
  return Object.fromEntries(
    Object.entries(value).map(([name, property]) => [
      name,
      isSensitive(name) ? redacted : redactProperties(property, depth + 1),
    ]),
  )
}

/**
 * A hint that every match contains, the pattern, and its replacement. No pattern requires a word boundary
 * before it: in a line of JSON, an escaped line break ends in a letter, `\n`.
 */
const patterns: readonly [hint: string, RegExp, string][] = [
  ['lw[a-z]_', /(lw[kasrpi])_[\w-]{8,}/g, `$1_${redacted}`],
  ['eyJ', /eyJ[\w-]{5,}\.[\w-]+\.[\w-]*/g, redacted],
  ['/w/', /(\/w\/)[\w-]{54}(?![\w-])/g, `$1${redacted}`],
  ['bearer|basic|applepass', /(Bearer|Basic|ApplePass) +[^\s"\\]+/gi, `$1 ${redacted}`],
  ['postgres', /(postgres(?:ql)?:\/\/[^:@\s"]*):[^\s"]*@/g, `$1:${redacted}@`],
  // Bounded: otherwise every letter without a following @ would start a search to the end of the text.
  ['@', /[\p{L}\p{N}._%+-]{1,64}@[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)*\.\p{L}{2,}/gu, redacted],
  ['\\+', /\+\d[\d ().-]{5,}\d/g, redacted],
]

/** Most texts contain no hint, and looking for hints takes a tenth of the time that the patterns take. */
const anyHint = new RegExp(patterns.map(([hint]) => hint).join('|'), 'i')

/** Redacts whatever looks like a credential or a person's contact data in a text. */
export function redactText(line: string): string {
  if (!anyHint.test(line)) return line
  return patterns.reduce((text, [, pattern, replacement]) => text.replaceAll(pattern, replacement), line)
}

/** Omits `detail` and `where`, where PostgreSQL puts the offending values; code and constraint are enough. */
function errorForLog(error: Error & { code?: string; constraint?: string }) {
  return {
    type: error.name,
    message: error.message,
    code: error.code,
    constraint: error.constraint,
    stack: error.stack,
  }
}
