/**
 * Runs the mappings of merchants, one at a time, in a process of its own: they are programs, and may loop forever, or
 * need so much memory that the process they run in is aborted. A thread with limits of its own does not prevent that:
 * one list of ten million numbers ended the whole service.
 *
 * Organizations take turns, so that one whose mapping is slow delays the others by an evaluation or two.
 */
import { createRoundRobin } from '../round-robin.ts'
import {
  type Answer,
  type ProcessLimits,
  type Question,
  startMappingProcess,
} from './start-mapping-process.ts'

export interface MappingFault {
  readonly code: 'mapping_failed' | 'mapping_too_slow'
  /** What is wrong, for the merchant. */
  readonly text: string
}

export type MappingOutcome = { readonly value: unknown } | { readonly problem: MappingFault }

export interface Mapping {
  /** The organization whose mapping it is. */
  readonly org: string
  readonly expression: string
  readonly payload: unknown
  /** The variable `$topic`. */
  readonly topic?: string
}

export interface MappingRunner {
  /** What the expression makes of the payload; the value is undefined if it selects nothing. */
  run(mapping: Mapping): Promise<MappingOutcome>
  /** What is wrong with the syntax of an expression, if anything. */
  parse(org: string, expression: string): Promise<MappingFault | undefined>
  /** Ends the process. What is waiting fails. */
  close(): void
}

const defaultLimits: ProcessLimits = {
  timeMs: 250,
  depth: 200,
  entries: 20_000,
  resultCharacters: 256 * 1024,
  memoryMb: 64,
  hangMs: 30_000,
  idleMs: 30_000,
}

interface Waiting {
  readonly question: Question
  resolve(answer: Answer): void
  reject(error: unknown): void
}

interface Line {
  readonly org: string
  readonly waiting: Waiting[]
}

/** Created once per process of the service. */
export function createMappingRunner(limits: ProcessLimits = defaultLimits): MappingRunner {
  const lines = createRoundRobin<string, Line>(
    (org) => ({ org, waiting: [] }),
    ({ waiting }) => waiting.length === 0,
  )
  const hasWaiting = ({ waiting }: Line) => waiting.length > 0
  const helper = startMappingProcess(limits)
  let isWorking = false

  function ask(question: Question): Promise<Answer> {
    return new Promise((resolve, reject) => {
      lines.lineOf(question.org).waiting.push({ question, resolve, reject })
      void work()
    })
  }

  async function work(): Promise<void> {
    if (isWorking) return
    isWorking = true
    for (let line = lines.next(hasWaiting); line; line = lines.next(hasWaiting)) {
      const { question, resolve, reject } = line.waiting.shift()!
      // In a new process it has all of the memory that it may have.
      const askAgain = (answer: Answer) => (answer.hadLessMemory ? helper.ask(question) : answer)
      await helper.ask(question).then(askAgain).then(resolve, reject)
      lines.release(line.org)
    }
    isWorking = false
  }

  return {
    async run({ org, expression, payload, topic }) {
      const answer = await ask({ org, expression, topic, input: JSON.stringify(payload ?? null) })
      const problem = findFault(answer, expression, limits.timeMs)
      if (problem) return { problem }
      return { value: answer.result === undefined ? undefined : JSON.parse(answer.result) }
    },
    async parse(org, expression) {
      return findFault(await ask({ org, expression }), expression, limits.timeMs)
    },
    close: helper.close,
  }
}

function findFault(
  { error, isTooSlow }: Answer,
  expression: string,
  timeMs: number,
): MappingFault | undefined {
  if (isTooSlow) {
    return {
      code: 'mapping_too_slow',
      text:
        `The mapping takes more than ${timeMs} ms. Look for functions that call themselves, and for regular ` +
        'expressions with repetitions inside repetitions.',
    }
  }
  if (!error) return undefined
  const sentence = error.message.trim().replace(/\.?$/, '.')
  return { code: 'mapping_failed', text: `${sentence}${sayPlace(error.position, expression)}` }
}

/** JSONata counts the characters up to the end of the part at fault. */
function sayPlace(position: number | undefined, expression: string): string {
  if (position === undefined) return ''
  const before = expression.slice(0, position).split('\n')
  return ` See line ${before.length}, character ${Math.max(1, before.at(-1)!.length)}.`
}
