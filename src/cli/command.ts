import type { Command } from 'commander'
import type { Environment } from './settings.ts'

/** Where a command gets its settings from and where its words go; tests bring one of their own. */
export interface Terminal {
  readonly env: Environment
  /** Somebody is looking, as opposed to a pipe or a file. */
  readonly isInteractive: boolean
  out(text: string): void
  err(text: string): void
}

/** What a command has to say, for people and for programs. */
export interface CommandOutput {
  readonly text: string
  readonly json: unknown
  readonly exitCode?: number
}

export interface Context {
  readonly env: Environment
  readonly isInteractive: boolean
  readonly isJson: boolean
  /** Shows how far a long command has come, where somebody is looking. */
  progress(done: number, of: number, what?: string): void
  report(outcome: CommandOutput): void
}

/** A command as all of ours are: with `--json`, and with examples at the end of its help. */
export function addCommand(
  parent: Command,
  name: string,
  description: string,
  examples: readonly string[],
): Command {
  return parent
    .command(name)
    .description(description)
    .option('--json', 'print one JSON document, also for errors')
    .addHelpText('after', toExamples(examples))
}

export function toExamples(examples: readonly string[]): string {
  return `\nExamples:\n${examples.map((example) => `  $ ${example}`).join('\n')}`
}
