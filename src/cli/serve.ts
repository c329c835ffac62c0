import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Command } from 'commander'
import { openLog, type RunningService, serve } from '../app/serve.ts'
import type { Config } from '../config.ts'
import { addCommand, type CommandOutput, type Context } from './command.ts'
import { explaining } from './explain-failure.ts'
import { Failure } from './failure.ts'
import { type Environment, readServiceSettings } from './settings.ts'

const abandonStartAfterMs = 8_000

/** Runs the service until it is told to stop. */
export function serveCommand(program: Command, context: Context): void {
  addCommand(program, 'serve', 'Run the service until SIGTERM or Ctrl-C.', [
    'loyalty-wallet serve',
    'PORT=0 DATA_DIR=/tmp/wallet loyalty-wallet serve',
    'loyalty-wallet serve --workers 4',
    'loyalty-wallet serve --json 2>service.log',
  ])
    .option('--workers <n>', 'number of processes sharing the port (default: WORKERS, or 1)')
    .action(async ({ workers }: { workers?: string }) => {
      const env = workers === undefined ? context.env : { ...context.env, WORKERS: workers }
      const config = readServiceSettings(env)
      const logTo = { isTerminal: context.isInteractive, toStderr: context.isJson }
      const log = openLog(config, logTo)
      const stopping = new AbortController()
      const stopWanted = stopSignal(context.env).then(() => stopping.abort())
      const start = () =>
        Promise.race([
          serve(config, log, { signal: stopping.signal, logTo, onDemoDay: tellDemoDay(context, log) }),
          abandonStart(stopWanted),
        ]).catch((error) => {
          // Stopped during the start, as requested.
          if (error !== stopping.signal.reason) throw error
        })
      const service = await explaining(config, start)
      if (!service) return
      context.report(greet(service, config))
      await stopWanted
      await service.stop()
    })
}

/** Shows a progress bar on a terminal, and otherwise writes one line to the log. */
function tellDemoDay(context: Context, log: ReturnType<typeof openLog>): (day: number, of: number) => void {
  return (day, of) => {
    if (context.isInteractive && !context.isJson) context.progress(day, of, 'Filling the demo café: day ')
    else if (day === 0) log.info({ days: of }, 'filling the demo café with visits')
  }
}

/**
 * Keeps listening after the first signal: npm forwards Ctrl-C to a process that already got it from the
 * terminal, and a second signal without a listener would kill us in the middle of stopping.
 */
function stopSignal(env: Environment): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => resolve())
    if (env.npm_lifecycle_event === 'npx') onParentGone(resolve)
  })
}

/** npx runs us in a shell, and a SIGTERM ends that shell without reaching us: we would keep running. */
function onParentGone(stop: () => void): void {
  const parent = process.ppid
  setInterval(() => process.ppid !== parent && stop(), 250).unref()
}

/** A start that hangs, for example in a long recovery, must not prevent stopping. */
async function abandonStart(stopWanted: Promise<void>): Promise<never> {
  await stopWanted
  await sleep(abandonStartAfterMs, undefined, { ref: false })
  throw new Failure(
    'start_abandoned',
    'Stopped before the start had finished. An embedded PostgreSQL may still be running; the next start takes it over.',
  )
}

function greet({ baseUrl, demo, demoSince }: RunningService, config: Config): CommandOutput {
  const demoFile = join(config.dataDir, 'demo.json')
  if (!demo) {
    const why = config.demo ? '\nThis database already has organizations, so there is no demo.' : ''
    return { text: `\nLoyalty Wallet is ready at ${baseUrl}${why}\n`, json: { baseUrl } }
  }
  // The certificate is issued for a host name, but the address shown is an IP address.
  const insecure = config.tls ? '-k ' : ''
  const since = demoSince?.toISOString().slice(0, 10)
  const past = since
    ? `
The café has a history of customers, sales and coupons since ${since}. Look around at ${baseUrl}/console
`
    : ''
  const text = `
Loyalty Wallet is ready at ${baseUrl}

  Console        ${baseUrl}/console
  Till           ${baseUrl}/till
  Email          ${demo.consoleEmail}, or manager@ or cashier@ with the same password
  Password       ${demo.consolePassword}

  API reference  ${baseUrl}/docs
  Organization   ${demo.organizationId}
  Campaign       ${demo.campaignId}
  API key        ${demo.apiKey}
  API secret     ${demo.apiSecret}
  Saved in       ${demoFile}
${past}
Try it:

  curl ${insecure}-X POST ${baseUrl}/auth/token -H 'x-api-key: ${demo.apiKey}' -H 'x-api-secret: ${demo.apiSecret}'

Ctrl-C stops the service${config.databaseUrl ? '' : ' and its database'}.
`
  return { text, json: { baseUrl, demoFile, demo, demoSince } }
}
