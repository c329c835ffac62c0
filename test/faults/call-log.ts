import { openSync, readFileSync, writeSync } from 'node:fs'

/**
 * What the load process writes down: every call before it is sent, and what came back. The auditor believes
 * nothing else of what the service told, so a line is written at once and never changed.
 */
export type LogLine = Sent | Answered | Unanswered

export type Operation = 'register' | 'sale' | 'return' | 'preview' | 'read'

/** Calls that write; they carry a receipt number or a key, and can be sent again. */
export const writes: readonly Operation[] = ['register', 'sale', 'return']

export interface Sent {
  readonly kind: 'sent'
  readonly at: number
  readonly call: string
  /** 1 for the first time a call is sent. */
  readonly attempt: number
  readonly operation: Operation
  /** The path as the service's metrics know it, without ids. */
  readonly route: string
  readonly receipt?: string
  readonly key?: string
  readonly coupon?: string
}

export interface Answered {
  readonly kind: 'answered'
  readonly at: number
  readonly call: string
  readonly attempt: number
  readonly status: number
  readonly retryAfter?: string
  readonly isReplay: boolean
  /** Of a success what was made, of a refusal its code. */
  readonly id?: string
  readonly code?: string
  readonly card?: string
  readonly customer?: string
  /** What it said to have done, as `executedActions.actions` tells it. */
  readonly actions?: readonly Action[]
}

export interface Action {
  readonly type: string
  readonly key?: string
  readonly amount?: number
  readonly coupon?: string
}

export interface Unanswered {
  readonly kind: 'unanswered'
  readonly at: number
  readonly call: string
  readonly attempt: number
  readonly reason: string
}

export function openCallLog(file: string): (line: LogLine) => void {
  const output = openSync(file, 'a')
  return (line) => writeSync(output, `${JSON.stringify(line)}\n`)
}

export function readCallLog(file: string): LogLine[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))
}

/** A call with everything that came of it. */
export interface Call {
  readonly id: string
  readonly sent: readonly Sent[]
  readonly answers: readonly Answered[]
  readonly unanswered: readonly Unanswered[]
  /** The answers that settle it: done, or refused. Anything else says that nobody knows. */
  readonly acknowledged: readonly Answered[]
  readonly refused: readonly Answered[]
}

export function gatherCalls(lines: readonly LogLine[]): Call[] {
  const calls = new Map<string, { sent: Sent[]; answers: Answered[]; unanswered: Unanswered[] }>()
  for (const line of lines) {
    const call = calls.get(line.call) ?? { sent: [], answers: [], unanswered: [] }
    calls.set(line.call, call)
    if (line.kind === 'sent') call.sent.push(line)
    else if (line.kind === 'answered') call.answers.push(line)
    else call.unanswered.push(line)
  }
  return [...calls].map(([id, call]) => ({
    id,
    ...call,
    acknowledged: call.answers.filter(({ status }) => status < 300),
    refused: call.answers.filter(isRefusal),
  }))
}

/** A "no" that stands. A token that ran out and a key whose first call still runs say nothing of the call itself. */
export function isRefusal({ status, code }: Pick<Answered, 'status' | 'code'>): boolean {
  if (status === 401 || status === 429) return false
  return status >= 400 && status < 500 && code !== 'idempotency_key_in_use'
}
