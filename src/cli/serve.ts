import { Command } from 'commander'
import { readConfig } from '../config.ts'
import { createLogger } from '../http/logger.ts'
import { type RunningService, serve } from '../serve.ts'

/** Runs until it is told to stop. */
export function serveCommand(exit: (code: number) => void): Command {
  return new Command('serve').description('Run the service until SIGTERM or Ctrl-C.').action(async () => {
    const read = readConfig(process.env)
    if (!read.ok) {
      for (const problem of read.problems) console.error(problem)
      return exit(2)
    }
    const { config } = read
    const log = createLogger(config.logLevel, process.stdout.isTTY === true)
    const stopped = stopSignal()
    const service = await serve(config, log)
    greet(service)
    await stopped
    await service.stop()
  })
}

function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve())
  })
}

function greet({ baseUrl, demo }: RunningService): void {
  console.log(`\nLoyalty Wallet is ready at ${baseUrl}   (API reference: ${baseUrl}/docs)`)
  if (!demo) return
  console.log(`
Demo organization ${demo.organizationId}, campaign ${demo.campaignId}
  API key     ${demo.apiKey}
  API secret  ${demo.apiSecret}

Try it:
  curl -X POST ${baseUrl}/auth/token -H 'x-api-key: ${demo.apiKey}' -H 'x-api-secret: ${demo.apiSecret}'
`)
}
