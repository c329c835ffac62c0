/** The doctor's check of the port: free, or in use by a Loyalty Wallet that is ready. */
import { createServer } from 'node:net'
import type { Config } from '../config.ts'
import { callService } from './call-service.ts'
import { explainFailure } from './explain-failure.ts'
import { type Finding, ok, problem } from './finding.ts'

export async function checkPort(config: Config): Promise<Finding> {
  const place = `${config.host}:${config.port}`
  if (config.port === 0) return ok('port', 'a free port is picked at every start')
  const error = await tryToListen(config)
  if (!error) return ok('port', `${place} is free`)
  const advice = 'Stop the other program, or set PORT to another port.'
  if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') {
    return problem('port', (explainFailure(error, config) as Error).message, 'Correct HOST or PORT.')
  }
  const listener = await askWhoListens(config)
  if (listener === 'ready') return ok('port', `the service at ${place} is ready`)
  if (listener === 'unready') {
    const message = `the service at ${place} is not ready: it cannot reach its database, or is starting or stopping`
    return problem('port', message, 'Check its log, and the results about the database here.')
  }
  return problem('port', `${place} is in use by another program.`, advice)
}

function tryToListen({ host, port }: Config): Promise<Error | undefined> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', resolve)
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(undefined)))
  })
}

async function askWhoListens({ host, port, tls }: Config): Promise<'ready' | 'unready' | 'stranger'> {
  const address = { '0.0.0.0': '127.0.0.1', '::': '::1' }[host] ?? host
  const name = address.includes(':') ? `[${address}]` : address
  const url = new URL(`${tls ? 'https' : 'http'}://${name}:${port}/readyz`)
  try {
    const { body } = await callService(url, { acceptsAnyCertificate: true, timeoutMs: 5_000 })
    if (body?.ready === true) return 'ready'
    return body?.message === '_unavailable' ? 'unready' : 'stranger'
  } catch {
    return 'stranger'
  }
}
