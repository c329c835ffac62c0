/** A failure that was foreseen: its message says what happened and what to do about it. */
export class Failure extends Error {
  override name = 'Failure'
  /** For programs; see `--json`. */
  readonly code: string
  readonly exitCode: number
  /** Everything that is wrong, when it is more than one thing. */
  readonly problems: readonly string[] | undefined

  constructor(
    code: string,
    message: string,
    options: { exitCode?: number; problems?: readonly string[]; cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause })
    this.code = code
    this.exitCode = options.exitCode ?? 1
    this.problems = options.problems
  }
}

/** The command line itself was wrong, as opposed to what it asked for. */
export function misused(message: string): Failure {
  return new Failure('usage', message, { exitCode: 2 })
}
