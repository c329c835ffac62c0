import type { Terminal } from '../../src/cli/command.ts'
import { listNodes } from '../../src/cli/completion.ts'
import type { CompletionNode } from '../../src/cli/completion-scripts.ts'
import { createContext } from '../../src/cli/create-context.ts'
import { buildProgram, run } from '../../src/cli/run.ts'

export interface Said {
  code: number
  stdout: string
  stderr: string
}

/** Runs a command in this process, with its own settings and nothing from the developer's environment. */
export async function runCommand(
  args: readonly string[],
  env: Record<string, string> = {},
  terminal: Partial<Terminal> = {},
): Promise<Said> {
  const said = { stdout: '', stderr: '' }
  const code = await run(args, {
    env,
    isInteractive: false,
    out: (text) => {
      said.stdout += text
    },
    err: (text) => {
      said.stderr += text
    },
    ...terminal,
  })
  return { code, ...said }
}

/** Runs a command with `--json`, which always prints exactly one document and nothing else. */
// biome-ignore lint/suspicious/noExplicitAny: read the way a script would.
export async function runForJson(args: readonly string[], env: Record<string, string> = {}): Promise<any> {
  const { code, stdout, stderr } = await runCommand([...args, '--json'], env)
  if (stderr !== '') throw new Error(`printed more than its document: ${stderr}`)
  return { code, ...JSON.parse(stdout) }
}

/** Every command there is, read from the commands themselves. */
export function listCommands(): CompletionNode[] {
  const silent = { env: {}, isInteractive: false, out() {}, err() {} }
  const output = { writeOut() {}, writeErr() {} }
  return listNodes(
    buildProgram(
      createContext(silent, false, () => {}),
      output,
    ),
  )
}
