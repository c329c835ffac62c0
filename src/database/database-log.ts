/** The logger that this folder writes to: pino fits, and nothing here depends on it. */
export interface DatabaseLog {
  info(details: object, message: string): void
  warn(details: object, message: string): void
  error(details: object, message: string): void
}
