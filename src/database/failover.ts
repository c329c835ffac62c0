/**
 * A DATABASE_URL with several hosts, as for libpq: the servers of one database, of which one at a time accepts
 * writes. The driver knows one host only, so every new connection first finds out which one that is. After a
 * failover, connections to the former primary break, and their successors lead to the new one.
 */
import pg from 'pg'

/** Which server will do. The service writes, so with several hosts `read-write` is the default. */
export const targets = ['read-write', 'primary', 'any'] as const

type Target = (typeof targets)[number]

/** Up to the last @ it is the user and the password, in which a comma is no separator. */
const form = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^/?#]*)(.*)$/s
const targetParameter = 'target_session_attrs'

/** One URL per host. */
export function listServers(url: string): string[] {
  const [, start = '', hosts = '', end = ''] = form.exec(url) ?? []
  return hosts.split(',').map((host) => `${start}${host}${end}`)
}

/** The same database with the same login at another server. */
export function atServer(url: string, host: string, port: number): string {
  const [, start = '', , end = ''] = form.exec(url) ?? []
  const [path, query = ''] = end.split(/\?(.*)/s)
  const kept = query.split('&').filter((parameter) => !/^(host|port|target_session_attrs)=/.test(parameter))
  return `${start}${host.includes(':') ? `[${host}]` : host}:${port}${path}${query && `?${kept.join('&')}`}`
}

/** What the URL asks for, whether it is one of the known ones or not. */
export function readTarget(url: string): string {
  const parameters = new URLSearchParams(/\?([^#]*)/.exec(url)?.[1])
  return parameters.get(targetParameter) ?? targets[0]
}

interface Server {
  readonly host: string
  readonly port: number
}

/** Long enough for the connections that a pool opens at once, too short for a failover in between. */
const rememberMs = 1_000
/** An unreachable host delays nobody if another one answers. */
const probeTimeoutMs = 2_000

/** A client for a URL with several hosts, which connects to the one that will do. */
export function createFailoverClient(url: string): typeof pg.Client {
  const find = createFinder(listServers(url), readTarget(url) as Target)
  return class extends pg.Client {
    override connect(): Promise<pg.Client>
    override connect(callback: (error: Error) => void): void
    override connect(callback?: (error: Error) => void): Promise<pg.Client> | undefined {
      const connected = find().then((server) => {
        Object.assign(this, server)
        return super.connect()
      })
      if (!callback) return connected
      const done = callback as (error?: Error) => void
      connected.then(() => done(), done)
      return undefined
    }
  }
}

function createFinder(urls: readonly string[], target: Target): () => Promise<Server> {
  let asked: Promise<Server> | undefined
  return () => {
    asked ??= Promise.any(urls.map((url) => probe(url, target))).catch((error: AggregateError) => {
      throw noServer(error.errors)
    })
    const own = asked
    const forget = () => {
      if (asked === own) asked = undefined
    }
    own.then(() => setTimeout(forget, rememberMs).unref(), forget)
    return own
  }
}

async function probe(url: string, target: Target): Promise<Server> {
  const client = new pg.Client({
    connectionString: url,
    application_name: 'loyalty-wallet looking for the primary',
    connectionTimeoutMillis: probeTimeoutMs,
    query_timeout: probeTimeoutMs,
  })
  client.on('error', () => {})
  try {
    await client.connect()
    const { rows } = await client.query(
      `SELECT pg_is_in_recovery() AS "isStandby", current_setting('transaction_read_only') = 'on' AS "isReadOnly"`,
    )
    const { isStandby, isReadOnly } = rows[0]
    if ((target === 'primary' && isStandby) || (target === 'read-write' && isReadOnly))
      throw new NotWritable()
    return { host: client.host, port: client.port }
  } finally {
    client.end().catch(() => {})
  }
}

/** With the SQLSTATE of a server that cannot be used now, so that it counts as one. */
class NotWritable extends Error {
  readonly code = '57P03'
  constructor() {
    super('No host of DATABASE_URL accepts writes now: those that answer are standbys or read-only.')
  }
}

/** Why there is none: that of the hosts that answer, or else that of the first one. */
function noServer(errors: readonly unknown[]): unknown {
  return errors.find((error) => error instanceof NotWritable) ?? errors[0]
}
