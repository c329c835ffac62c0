/** The terminal of this process, or the pipes and files in its place. */
import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import type { AskOptions, Terminal } from './command.ts'
import { Failure } from './failure.ts'
import type { Environment } from './settings.ts'

export function openTerminal(env: Environment): Terminal {
  const { stdin, stdout, stderr } = process
  const isInteractive = stdout.isTTY === true
  return {
    env,
    isInteractive,
    columns: isInteractive ? stdout.columns : undefined,
    hasColors: isInteractive && !env.NO_COLOR && env.TERM !== 'dumb',
    out: (text) => stdout.write(text),
    err: (text) => stderr.write(text),
    // The question goes to stderr, so that the output can be piped.
    ask: stdin.isTTY && stderr.isTTY ? ask : undefined,
    readInput: () => (stdin.isTTY ? Promise.resolve('') : text(stdin)),
  }
}

async function ask(question: string, { isSecret = false, signal }: AskOptions = {}): Promise<string> {
  let isMuted = false
  const output = new Writable({
    write(chunk, _encoding, done) {
      if (!isMuted) process.stderr.write(chunk)
      done()
    },
  })
  const reader = createInterface({ input: process.stdin, output, terminal: true })
  const ended = new AbortController()
  // Ctrl-C and Ctrl-D would otherwise leave the question open forever.
  reader.on('SIGINT', () => ended.abort())
  reader.on('close', () => ended.abort())
  try {
    const any = signal ? AbortSignal.any([ended.signal, signal]) : ended.signal
    const answer = reader.question(question, { signal: any })
    isMuted = isSecret
    return (await answer).trim()
  } catch {
    throw new Failure('interrupted', 'Nothing was changed.', { exitCode: 130 })
  } finally {
    reader.close()
    if (isSecret) process.stderr.write('\n')
  }
}
