/**
 * What runs in the process for mappings. It is started from the text of these functions, because the service runs from
 * a bundle, from a package and from its sources; so they use nothing but each other, and what they are given.
 *
 * Mappings are programs that merchants write. Each mapping of an organization gets a context of its own, in which there
 * is nothing but JSONata, and only texts go in and out: it finds nothing of other mappings, or of the process. The
 * contexts that were used last are kept, because to create one takes longer than to evaluate the mapping of a receipt.
 */
import type jsonata from 'jsonata'

export interface MappingLimits {
  /** Milliseconds of processor time for an evaluation. */
  readonly timeMs: number
  /** Functions that call each other. */
  readonly depth: number
  /** Entries of a list while it is worked on. */
  readonly entries: number
  /** Characters of a result as JSON. */
  readonly resultCharacters: number
}

export interface MappingRequest {
  readonly id: number
  readonly org: string
  readonly expression: string
  /** The payload as JSON; without it the expression is only parsed. */
  readonly input?: string
  readonly topic?: string
}

export interface MappingAnswer {
  readonly id: number
  /** JSON of what the mapping returned; absent if it returned nothing. */
  readonly result?: string
  readonly error?: { readonly message: string; readonly position?: number }
  readonly isTooSlow?: boolean
}

export function mappingProgram(libraryPath: string, limits: MappingLimits): string {
  const functions = [evaluateInside, createContexts, evaluateInTime].join('\n')
  // Only here it is called `require`: bundlers replace what has that name.
  return `${functions}\n(${serve})(require, ${JSON.stringify(libraryPath)}, ${JSON.stringify(limits)})`
}

/** The global variables of a context. */
interface Inside {
  readonly jsonata: typeof jsonata
  readonly request: string
  compiled?: jsonata.Expression
  answer?: string
}

function evaluateInside(inside: Inside): void {
  const { expression, input, topic, limits } = JSON.parse(inside.request)
  const sentences: Record<string, string> = {
    D1011: `Functions call each other more than ${limits.depth} levels deep.`,
    D2015: `A list has more than ${limits.entries} entries.`,
  }
  const fail = (error: unknown) => {
    const { code, message, position } = Object(error)
    const text = sentences[code] ?? String(message).slice(0, 500)
    inside.answer = JSON.stringify({ error: { message: text, position } })
  }
  const toJson = (value: unknown) => {
    try {
      return JSON.stringify(value)
    } catch {
      throw { message: 'The mapping returns something that is not JSON, such as a function.' }
    }
  }
  try {
    inside.compiled ??= inside.jsonata(expression, { stack: limits.depth, sequence: limits.entries })
    inside.answer = '{}'
    if (input === undefined) return
    inside.compiled
      .evaluate(JSON.parse(input), { topic })
      .then((value) => {
        const result = toJson(value)
        if (result === undefined || result.length <= limits.resultCharacters) {
          inside.answer = JSON.stringify({ result })
        } else fail({ message: `The result has more than ${limits.resultCharacters} characters.` })
      })
      .catch(fail)
  } catch (error) {
    fail(error)
  }
}

type Evaluate = (request: MappingRequest, timeout: number) => Omit<MappingAnswer, 'id'>

function createContexts(
  load: NodeJS.Require,
  libraryPath: string,
  limits: MappingLimits,
): { evaluate: Evaluate; clear(): void } {
  const { readFileSync } = load('node:fs') as typeof import('node:fs')
  const { createContext, Script } = load('node:vm') as typeof import('node:vm')
  const library = new Script(readFileSync(libraryPath, 'utf8'), { filename: 'jsonata.js' })
  const evaluation = new Script(`(${evaluateInside})(globalThis)`, { filename: 'mapping.js' })
  const mostKept = 8
  const kept = new Map<string, ReturnType<typeof createContext>>()

  function newContext() {
    // The timeout of an evaluation then also ends promises.
    const context = createContext(Object.create(null), {
      microtaskMode: 'afterEvaluate',
      codeGeneration: { strings: false, wasm: false },
    })
    library.runInContext(context)
    return context
  }

  return {
    evaluate(request, timeout) {
      const key = `${request.org} ${request.expression}`
      const context = kept.get(key) ?? newContext()
      // The one that was used last is at the end.
      kept.delete(key)
      kept.set(key, context)
      if (kept.size > mostKept) kept.delete(kept.keys().next().value!)
      context.request = JSON.stringify({ ...request, limits })
      context.answer = undefined
      evaluation.runInContext(context, { timeout })
      return JSON.parse(context.answer)
    },
    clear: () => kept.clear(),
  }
}

/**
 * The clock also runs while a busy computer lets this process wait, but only its own time counts. An evaluation that
 * got too little of it is given another try, and more time.
 */
function evaluateInTime(
  request: MappingRequest,
  contexts: { evaluate: Evaluate; clear(): void },
  { timeMs }: MappingLimits,
): Omit<MappingAnswer, 'id'> {
  for (let timeout = timeMs; ; timeout *= 2) {
    const before = process.cpuUsage()
    try {
      return contexts.evaluate(request, timeout)
    } catch (error) {
      // What was interrupted is in a state that nobody knows.
      contexts.clear()
      const { code, message } = error as Error & { code?: string }
      if (code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') return { error: { message } }
      const { user, system } = process.cpuUsage(before)
      if (user + system >= timeMs * 800 || timeout > timeMs * 16) return { isTooSlow: true }
    }
  }
}

function serve(load: NodeJS.Require, libraryPath: string, limits: MappingLimits): void {
  const contexts = createContexts(load, libraryPath, limits)
  process.on('message', (request: MappingRequest) => {
    process.send?.({ id: request.id, ...evaluateInTime(request, contexts, limits) } satisfies MappingAnswer)
  })
  // When the service is gone, however it ended. What a terminal or a supervisor sends to all processes is for it.
  process.on('disconnect', () => process.exit())
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined)
}
