/** What this folder writes to: a pino logger fits, and nothing here depends on it being one. */
export type DatabaseLog = {
  info(details: object, message: string): void
  warn(details: object, message: string): void
  error(details: object, message: string): void
}
