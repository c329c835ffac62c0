/** An expected failure: its message says what happened and what to do about it. */
export class Failure extends Error {
  override name = 'Failure'
  /** Error code for programs; see `--json`. */
  readonly code: string
  readonly exitCode: number
  /** Every problem, if there are several. */
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

/** A usage error: the command line itself was wrong. */
export function misused(message: string): Failure {
  return new Failure('usage', message, { exitCode: 2 })
}
