/**
 * The loggers of requests. Every line has the ID of its request, but most requests log nothing, so a logger is created
 * with the first line. Given a logger, the framework would create one for each request, and listen for the end of each
 * response. Levels and serializers of single routes are not supported.
 */
import type { FastifyBaseLogger, FastifyInstance, FastifyServerOptions } from 'fastify'
import type { Bindings, Level } from 'pino'

/** Options with which the framework leaves the loggers of its requests to us. */
export function requestLoggers(logger: FastifyBaseLogger | undefined): FastifyServerOptions {
  if (!logger) return { logger: false }
  return {
    logger: false,
    childLoggerFactory: (_none, bindings) =>
      new RequestLogger(logger, bindings) as unknown as FastifyBaseLogger,
  }
}

/** What belongs to no request, such as the address on which the server listens. */
export function logServer(app: Pick<FastifyInstance, 'log'>, logger: FastifyBaseLogger | undefined): void {
  if (logger) app.log = logger
}

class RequestLogger {
  readonly #parent: FastifyBaseLogger
  readonly #bindings: Bindings
  #own: FastifyBaseLogger | undefined = undefined

  constructor(parent: FastifyBaseLogger, bindings: Bindings) {
    this.#parent = parent
    this.#bindings = bindings
  }

  get level() {
    return this.#parent.level
  }

  child(bindings: Bindings) {
    return new RequestLogger(this.#parent, { ...this.#bindings, ...bindings })
  }

  fatal(...line: unknown[]) {
    this.#write('fatal', line)
  }

  error(...line: unknown[]) {
    this.#write('error', line)
  }

  warn(...line: unknown[]) {
    this.#write('warn', line)
  }

  info(...line: unknown[]) {
    this.#write('info', line)
  }

  debug(...line: unknown[]) {
    this.#write('debug', line)
  }

  trace(...line: unknown[]) {
    this.#write('trace', line)
  }

  silent() {}

  #write(level: Level, line: unknown[]): void {
    this.#own ??= this.#parent.child(this.#bindings)
    const write: (...line: unknown[]) => void = this.#own[level]
    write.apply(this.#own, line)
  }
}
