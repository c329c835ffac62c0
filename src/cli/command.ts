import type { Command } from 'commander'
import type { Environment } from './settings.ts'

/** Environment and output of a command; tests provide their own. */
export interface Terminal {
  readonly env: Environment
  /** Whether the output is a terminal, as opposed to a pipe or a file. */
  readonly isInteractive: boolean
  out(text: string): void
  err(text: string): void
}

/** Output of a command, for people and for programs. */
export interface CommandOutput {
  readonly text: string
  readonly json: unknown
  readonly exitCode?: number
}

export interface Context {
  readonly env: Environment
  readonly isInteractive: boolean
  readonly isJson: boolean
  /** Shows the progress of a long command on a terminal. */
  progress(done: number, of: number, what?: string): void
  /** Prints a line beside the output, for people who watch. */
  note(text: string): void
  report(outcome: CommandOutput): void
}

/** Adds a command with what all commands have: `--json`, and examples at the end of the help. */
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
