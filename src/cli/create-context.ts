import { styleText } from 'node:util'
import type { Context, Terminal } from './command.ts'

/** What commands get to read and to print with. `setExitCode` is called with that of the output. */
export function createContext(
  terminal: Terminal,
  isJson: boolean,
  setExitCode: (code: number) => void,
): Context {
  const printJson = (document: unknown, indent?: number) =>
    terminal.out(`${JSON.stringify(document, undefined, indent)}\n`)
  return {
    env: terminal.env,
    isInteractive: terminal.isInteractive,
    isJson,
    columns: terminal.columns,
    ask: terminal.ask,
    readInput: async () => (await terminal.readInput?.()) ?? '',
    progress(done, of, what = '') {
      if (isJson || !terminal.isInteractive || of === 0) return
      const filled = Math.round((30 * done) / of)
      const bar = `${'█'.repeat(filled)}${'░'.repeat(30 - filled)}`
      // What the line had before may have been longer.
      terminal.err(`\r${bar} ${what}${done} of ${of}\u001b[K${done >= of ? '\n' : ''}`)
    },
    note(text) {
      if (!isJson) terminal.err(`${text}\n`)
    },
    report(outcome) {
      if (isJson) printJson(outcome.json, 2)
      else terminal.out(`${outcome.text}\n`)
      setExitCode(outcome.exitCode ?? 0)
    },
    line({ text, json }) {
      if (isJson) printJson(json)
      else terminal.out(`${text}\n`)
    },
    style: (style, text) =>
      terminal.hasColors && !isJson ? styleText(style, text, { validateStream: false }) : text,
    untilStopped: (work) => untilStopped(work, terminal.stopped),
  }
}

async function untilStopped(
  work: (signal: AbortSignal) => Promise<void>,
  given: AbortSignal | undefined,
): Promise<void> {
  const stopping = new AbortController()
  const stop = () => stopping.abort()
  const signals = given ? [] : (['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  for (const signal of signals) process.on(signal, stop)
  // A reader that goes away, as `| head` does.
  if (!given) process.stdout.on('error', stop)
  given?.addEventListener('abort', stop, { once: true })
  if (given?.aborted) stop()
  try {
    await work(stopping.signal)
  } catch (error) {
    if (!stopping.signal.aborted) throw error
  } finally {
    for (const signal of signals) process.off(signal, stop)
    process.stdout.off('error', stop)
    given?.removeEventListener('abort', stop)
  }
}
