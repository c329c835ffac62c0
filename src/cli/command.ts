import type { Command } from 'commander'
import type { Environment } from './settings.ts'

/** Environment, input and output of a command; tests provide their own. */
export interface Terminal {
  readonly env: Environment
  /** Whether the output is a terminal, as opposed to a pipe or a file. */
  readonly isInteractive: boolean
  /** Width of the terminal; undefined if the output is none. */
  readonly columns?: number | undefined
  /** Whether the terminal shows colors. */
  readonly hasColors?: boolean
  /** Ends commands that run until they are stopped; otherwise a signal to the process does. */
  readonly stopped?: AbortSignal
  out(text: string): void
  err(text: string): void
  /** Asks a person, who does not see the letters of a secret; undefined if nobody is there to answer. */
  ask?: ((question: string, options?: AskOptions) => Promise<string>) | undefined
  /** Everything that is piped in. */
  readInput?(): Promise<string>
}

export interface AskOptions {
  readonly isSecret?: boolean
  /** Withdraws the question; the answer is then rejected. */
  readonly signal?: AbortSignal
}

/** Output of a command, for people and for programs. */
export interface CommandOutput {
  readonly text: string
  readonly json: unknown
  readonly exitCode?: number
}

export type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan'

export interface Context {
  readonly env: Environment
  readonly isInteractive: boolean
  readonly isJson: boolean
  readonly columns: number | undefined
  /** Shows the progress of a long command on a terminal. */
  progress(done: number, of: number, what?: string): void
  /** Prints a line beside the output, for people who watch. */
  note(text: string): void
  report(outcome: CommandOutput): void
  /** Prints one of many results as it comes: a line of text, or a document on a line of its own. */
  line(outcome: Pick<CommandOutput, 'text' | 'json'>): void
  /** Colors a text, on a terminal that has colors. */
  style(style: Style, text: string): string
  /** See `Terminal.ask`. */
  readonly ask: ((question: string, options?: AskOptions) => Promise<string>) | undefined
  readInput(): Promise<string>
  /** Runs until Ctrl-C; ending that way is a success. */
  untilStopped(work: (signal: AbortSignal) => Promise<void>): Promise<void>
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
