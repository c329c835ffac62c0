/**
 * The log: JSON lines, readable ones on a terminal, and never a credential or anything of a person in it. Members
 * with a telling name are blotted out at any depth, and what looks like one of ours or like a person's address in
 * any text: a message of a library, the stack of an error.
 */
import pino, { type Logger, type LoggerOptions } from 'pino'

export type { Logger }

export function createLogger(level: string, to: { isTerminal: boolean; toStderr: boolean }): Logger {
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
    formatters: { log: (details) => blotMembers(details, 0) as Record<string, unknown> },
    hooks: { streamWrite: redactText },
    serializers: {
      err: errorForLog,
      // The query may hold a phone number or an e-mail address.
      req: (request: { method: string; url: string; id: string }) => ({
        id: request.id,
        method: request.method,
        path: request.url.split('?', 1)[0],
      }),
    },
  }
}

/** What stands in place of a value that nobody may read. */
export const redacted = '[redacted]'

/**
 * What opens something or tells of a person, wherever it stands: in this log and in those that merchants read. In
 * small letters and without dashes, as `x-api-key` and `apiKey` are the same thing.
 */
const words = [
  '(?:proxy)?authorization|(?:set)?cookie|(?:x?api|jwt)?secret|x?apikey|(?:access|refresh|admin)?token',
  '(?:current|new|console)?password|(?:credential)?pepper|databaseurl|connectionstring|invitation|walleturl',
  'phone|email|firstname|lastname|fullname|customername|metadata|consents',
]

/** Whether a member of this name is blotted out; `more` are names that tell something only there. */
export function sensitiveNames(...more: readonly string[]): (name: string) => boolean {
  const telling = new RegExp(`^(?:${[...words, ...more].join('|')})$`)
  return (name) => telling.test(name.toLowerCase().replaceAll(/[-_]/g, ''))
}

// A key may be a credential here. Merchants read of the key of a balance, and of queries and bodies.
const isSensitive = sensitiveNames('key', 'q', 'query', 'body')
const maxDepth = 8

function blotMembers(value: unknown, depth: number): unknown {
  if (value instanceof Error) return depth === 1 ? value : errorForLog(value)
  if (typeof value !== 'object' || value === null || value instanceof Date) return value
  // What knows how it is written down, such as a request, has a serializer of its own.
  if (depth === 1 && 'raw' in value) return value
  if (depth >= maxDepth) return redacted
  if (Array.isArray(value)) return value.map((item) => blotMembers(item, depth + 1))
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      isSensitive(name) ? redacted : blotMembers(member, depth + 1),
    ]),
  )
}

/**
 * A sign that each such text has in it, the pattern, and what is written instead. No pattern asks for the beginning
 * of a word: in a line of JSON a line break ends in a letter, `\n`.
 */
const patterns: readonly [sign: string, RegExp, string][] = [
  ['lw[a-z]_', /(lw[kasrpi])_[\w-]{8,}/g, `$1_${redacted}`],
  ['eyJ', /eyJ[\w-]{5,}\.[\w-]+\.[\w-]*/g, redacted],
  ['/w/', /(\/w\/)[\w-]{54}(?![\w-])/g, `$1${redacted}`],
  ['bearer|basic', /(Bearer|Basic) +[^\s"\\]+/gi, `$1 ${redacted}`],
  ['postgres', /(postgres(?:ql)?:\/\/[^:@\s"]*):[^\s"]*@/g, `$1:${redacted}@`],
  // Bounded: where no @ follows, each letter would else be the start of a search to the end of the text.
  ['@', /[\p{L}\p{N}._%+-]{1,64}@[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)*\.\p{L}{2,}/gu, redacted],
  ['\\+', /\+\d[\d ().-]{5,}\d/g, redacted],
]

/** Most texts have none of the signs, and looking for them takes a tenth of the time that the patterns take. */
const hint = new RegExp(patterns.map(([sign]) => sign).join('|'), 'i')

/** Any text without what looks like a credential or a person's address. */
export function redactText(line: string): string {
  if (!hint.test(line)) return line
  return patterns.reduce((text, [, pattern, instead]) => text.replaceAll(pattern, instead), line)
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
