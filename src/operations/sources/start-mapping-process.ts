/** The process for mappings, from the outside: started when it is needed, and ended when it is idle or hangs. */
import { type ChildProcess, spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import {
  type MappingAnswer,
  type MappingLimits,
  type MappingRequest,
  mappingProgram,
} from './mapping-process.ts'

export type Question = Omit<MappingRequest, 'id'>
export interface Answer extends Omit<MappingAnswer, 'id'> {
  /** It ran out of memory, part of which earlier mappings had taken, perhaps of other organizations. */
  readonly hadLessMemory?: boolean
}

export interface AskMappingProcess {
  /** One question at a time. Fails only if the process cannot be started, or was closed. */
  ask(question: Question): Promise<Answer>
  close(): void
}

export interface ProcessLimits extends MappingLimits {
  readonly memoryMb: number
  /** Ends what the process itself cannot end: a computation that no timeout interrupts. */
  readonly hangMs: number
  readonly idleMs: number
}

interface Asked {
  readonly id: number
  settle(answer: Answer): void
  fail(error: Error): void
}

export function startMappingProcess(limits: ProcessLimits): AskMappingProcess {
  let child: ChildProcess | undefined
  let asked: Asked | undefined
  let lastId = 0
  let isClosed = false
  let hangTimer: NodeJS.Timeout | undefined
  let idleTimer: NodeJS.Timeout | undefined

  function start(): ChildProcess {
    const started = spawnProcess(limits)
    started.on('message', (answer: MappingAnswer) => {
      if (started === child && answer.id === asked?.id) asked.settle(answer)
    })
    started.on('error', (error) => end(started, (current) => current.fail(error)))
    started.on('exit', (code, signal) => end(started, tellExit(started, code, signal, limits)))
    return started
  }

  /** One that was killed has been replaced. */
  function end(ended: ChildProcess, tell: (asked: Asked) => void): void {
    if (ended !== child) return
    child = undefined
    if (asked) tell(asked)
  }

  function kill(): void {
    child?.kill('SIGKILL')
    child = undefined
  }

  function done(): void {
    clearTimeout(hangTimer)
    asked = undefined
    idleTimer = setTimeout(kill, limits.idleMs).unref()
  }

  return {
    ask(question) {
      if (isClosed) return Promise.reject(closedError())
      clearTimeout(idleTimer)
      child ??= start()
      const current = child
      return new Promise<Answer>((resolve, reject) => {
        asked = { id: ++lastId, settle: resolve, fail: reject }
        // It also keeps the service alive until there is an answer; the process for mappings does not.
        hangTimer = setTimeout(() => {
          kill()
          resolve({ isTooSlow: true })
        }, limits.hangMs)
        // If it cannot be sent, the process has ended, and says so itself.
        current.send({ ...question, id: lastId }, () => undefined)
      }).finally(done)
    },
    close() {
      isClosed = true
      kill()
      asked?.fail(closedError())
    },
  }
}

/** Processes that have run a mapping, which may have left something in their memory. */
const used = new WeakSet<ChildProcess>()

const closedError = () => new Error('The process for mappings was closed.')

function spawnProcess({ memoryMb, timeMs, depth, entries, resultCharacters }: ProcessLimits): ChildProcess {
  const library = createRequire(import.meta.url).resolve('jsonata')
  const program = mappingProgram(library, { timeMs, depth, entries, resultCharacters })
  const flags = [`--max-old-space-size=${memoryMb}`, '--disallow-code-generation-from-strings']
  const started = spawn(process.execPath, [...flags, '--eval', program], {
    // None of the service's settings; and what Node.js prints when memory runs out is of no use.
    env: {},
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
  started.on('message', () => used.add(started))
  started.unref()
  started.channel?.unref()
  return started
}

/** Node.js aborts when the heap is full, and the kernel kills what takes the last memory of the computer. */
function tellExit(
  ended: ChildProcess,
  code: number | null,
  signal: NodeJS.Signals | null,
  { memoryMb }: ProcessLimits,
) {
  const isOutOfMemory = signal === 'SIGABRT' || signal === 'SIGKILL' || code === 134
  return (asked: Asked) => {
    if (isOutOfMemory) {
      const message = `The mapping needs more than ${memoryMb} MB of memory.`
      asked.settle({ error: { message }, hadLessMemory: used.has(ended) })
    } else asked.fail(new Error(`The process for mappings ended with ${signal ?? `code ${code}`}.`))
  }
}
