/** A running service, for commands that send it files or get some: many requests, each of which may be sent again. */
import { randomUUID } from 'node:crypto'
import { Agent as HttpAgent, request as requestHttp } from 'node:http'
import { Agent as HttpsAgent, request as requestHttps } from 'node:https'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Surroundings } from '../files/columns.ts'
import type { Credentials } from './credentials.ts'
import { reasonOf } from './explain-failure.ts'
import { Failure } from './failure.ts'

export type Json = Record<string, unknown>

export interface FileService {
  get(path: string): Promise<Json>
  /** The service knows by itself, or by a key, what it has already done. */
  post(path: string, body: object): Promise<Json>
  close(): void
}

interface Reply {
  readonly status: number
  readonly body: Json
}

const timeoutMs = 60_000
/** How long a service may be gone, for an upgrade or a restart, before the command gives up. */
const patienceMs = 30_000

export function openFileService(credentials: Credentials): FileService {
  const send = createSender(credentials)
  let token: Promise<string> | undefined
  const authorize = async (): Promise<string> => {
    const { apiKey, apiSecret } = credentials
    const headers = { 'x-api-key': apiKey, 'x-api-secret': apiSecret }
    const reply = await persevere(credentials, () => send('POST', '/auth/token', headers))
    if (reply.status !== 200) throw refusal(credentials, reply)
    return String(reply.body.accessToken)
  }
  const call = async (method: 'GET' | 'POST', path: string, body?: object): Promise<Json> => {
    const key = randomUUID()
    for (let attempt = 1; ; attempt++) {
      token ??= authorize()
      const headers = { authorization: `Bearer ${await token}`, ...(body && { 'idempotency-key': key }) }
      const reply = await persevere(credentials, () => send(method, path, headers, body))
      if (reply.status < 300) return reply.body
      // The token has expired, which takes a minute or an hour.
      if (reply.status !== 401 || attempt === 2) throw refusal(credentials, reply)
      token = undefined
    }
  }
  return {
    get: (path) => call('GET', path),
    post: (path, body) => call('POST', path, body),
    close: () => send.agent.destroy(),
  }
}

function createSender({ url, isDemo }: Credentials) {
  const isSecure = url.protocol === 'https:'
  const agent = isSecure
    ? new HttpsAgent({ keepAlive: true, rejectUnauthorized: !isDemo })
    : new HttpAgent({ keepAlive: true })
  const base = url.origin + url.pathname.replace(/\/+$/, '')
  const send = (method: string, path: string, headers: Record<string, string>, body?: object) =>
    new Promise<Reply>((resolve, reject) => {
      const request = (isSecure ? requestHttps : requestHttp)(base + path, {
        method,
        headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
        agent,
        signal: AbortSignal.timeout(timeoutMs),
      })
      request.on('error', reject)
      request.on('response', (response) => {
        const chunks: Buffer[] = []
        response.on('error', reject)
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, body: parse(Buffer.concat(chunks).toString('utf8')) }),
        )
      })
      request.end(body && JSON.stringify(body))
    })
  return Object.assign(send, { agent })
}

function parse(text: string): Json {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Json) : {}
  } catch {
    return {}
  }
}

/** Sends again while the service is not there, or asks to wait. */
async function persevere({ url }: Credentials, send: () => Promise<Reply>): Promise<Reply> {
  const startedAt = Date.now()
  for (let waitMs = 200; ; waitMs = Math.min(waitMs * 2, 3_000)) {
    try {
      const reply = await send()
      if (![429, 502, 503, 504].includes(reply.status) || Date.now() - startedAt > patienceMs) return reply
    } catch (error) {
      if (Date.now() - startedAt > patienceMs) {
        const reason = error instanceof Error ? reasonOf(error) : String(error)
        const message = `${url.origin} is not reachable (${reason}). Start the service, or use --url to point to a running one. Then run the same command again.`
        throw new Failure('service_unreachable', message, { cause: error })
      }
    }
    await sleep(waitMs)
  }
}

function refusal({ url }: Credentials, { status, body }: Reply): Failure {
  if (typeof body.message !== 'string')
    return new Failure(
      'not_a_loyalty_wallet',
      `${url.origin} returned ${status} and does not appear to be a Loyalty Wallet. Check --url.`,
    )
  const advice = status === 403 ? ' Use a connection with the scope manage.' : ''
  return new Failure(
    body.message,
    `${url.origin} refused the request: ${body.description ?? body.message}${advice}`,
  )
}

export interface ServiceSetup extends Surroundings {
  readonly country: string
  /** By name, the IDs of the campaigns that customers can get a card of. */
  readonly campaignIds: ReadonlyMap<string, string>
}

/** What the organization has that columns can be about. */
export async function readServiceSetup(
  service: FileService,
  kind: Surroundings['kind'],
): Promise<ServiceSetup> {
  const { country } = await service.get('/v1/organization')
  const campaigns = kind === 'customers' ? await listPages(service, '/v1/campaigns?limit=100') : []
  const published = campaigns.filter(({ status }) => status === 'published').toReversed()
  const balances = new Map<string, string>()
  for (const campaign of published)
    for (const { key, name } of campaign.balances as { key: string; name?: string }[])
      if (!balances.has(key)) balances.set(key, name ?? key)
  return {
    kind,
    country: String(country),
    campaigns: published.map(({ name }) => String(name)),
    campaignIds: new Map(published.map(({ name, id }) => [String(name), String(id)])),
    balances: [...balances].map(([key, name]) => ({ key, name })),
  }
}

/** One page after the other, so that nothing has to be kept. */
export async function* readPages(service: FileService, path: string): AsyncGenerator<Json[]> {
  for (let cursor: string | undefined; ; ) {
    const more =
      cursor === undefined ? '' : `${path.includes('?') ? '&' : '?'}cursor=${encodeURIComponent(cursor)}`
    const { data, nextCursor } = await service.get(path + more)
    yield data as Json[]
    if (typeof nextCursor !== 'string') return
    cursor = nextCursor
  }
}

async function listPages(service: FileService, path: string): Promise<Json[]> {
  const all: Json[] = []
  for await (const page of readPages(service, path)) all.push(...page)
  return all
}
