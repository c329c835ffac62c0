/** A sentence of the interface, and how a till would notice that it does not hold. */
import type { Answer, Send } from './target.ts'

export interface Clause {
  readonly id: string
  /** What has to be true, as the interface says it. */
  readonly text: string
  check(till: Till): Promise<void>
}

export interface Credentials {
  readonly apiKey: string
  readonly apiSecret: string
  /** The secret of an organization that another integration is connected to. */
  readonly otherSecret?: string
}

/** What the clauses work with. */
export interface Till extends Credentials {
  readonly campaign: string
  readonly send: Send
  /** A token, asked for once. */
  token(): Promise<string>
  /** Registers a new customer with an address of its own, and returns the customer. */
  register(data?: object, more?: object): Promise<Registered>
  /** Different on every call. */
  unique(): string
}

export interface Registered {
  readonly id: string
  readonly card: string
  readonly barcode: string
  readonly data: { readonly phone: string; readonly email: string }
  readonly answer: Answer
}

/** The clause does not hold; the message says what was seen instead. */
export class Broken extends Error {
  override name = 'Broken'
}

/** The clause cannot be tried here; the message says what is missing. */
export class Untried extends Error {
  override name = 'Untried'
}

export function must(holds: boolean, otherwise: string): asserts holds {
  if (!holds) throw new Broken(otherwise)
}

/** Checks an error: its status, its code, and that it has the body that all errors have. */
export function mustRefuse(answer: Answer, status: number, code?: string): void {
  const { body } = answer
  must(answer.status === status, `${seen(answer)} instead of ${status}`)
  if (code !== undefined)
    must(body?.message === code, `message is ${JSON.stringify(body?.message)}, not ${code}`)
}

export function mustAccept(answer: Answer, ...statuses: readonly number[]): void {
  const isExpected = statuses.length === 0 ? answer.status < 300 : statuses.includes(answer.status)
  must(isExpected, `${seen(answer)} instead of ${statuses.join(' or ') || 'success'}`)
  must(answer.body !== undefined, `${answer.method} ${answer.path} did not answer with JSON`)
}

const mostText = 300

/** What was answered, for the report. Neither tokens nor secrets are in it: they are only in other answers. */
const seen = ({ method, path, status, text }: Answer) => {
  const shown = text.length > mostText ? `${text.slice(0, mostText)}…` : text
  return `${method} ${path} answered ${status} ${shown}`
}
