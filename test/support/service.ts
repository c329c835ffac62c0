import { isDeepStrictEqual } from 'node:util'
import type { FastifyContextConfig, LightMyRequestResponse } from 'fastify'
import type { Pool } from 'pg'
import { inject } from 'vitest'
import { appRole } from '../../src/database/app-role.ts'
import { type DatabaseConnection, openPool, type PoolOptions } from '../../src/database/pool.ts'
import { watchReplica } from '../../src/database/replica.ts'
import type { Server } from '../../src/http/fastify-server.ts'
import type { RateLimits } from '../../src/http/plugins/rate-limit.ts'
import { createRequestLog } from '../../src/http/plugins/request-log.ts'
import { buildServer } from '../../src/http/server.ts'
import { createBasketProcessor } from '../../src/operations/baskets/process.ts'
import { createDeps, type Deps } from '../../src/operations/deps.ts'
import { createChallenges } from '../../src/operations/enrollment/challenges.ts'
import type { PassInstallation } from '../../src/operations/passes/installation.ts'
import { createReplicaReads } from '../../src/operations/replica-reads.ts'
import type { SquareHosts } from '../../src/operations/sources/square-client.ts'
import type { Tracer } from '../../src/tracing/tracer.ts'
import { isOnCluster, isOnNodes } from './cluster.ts'
import { createTestDatabase, type TestDatabase } from './database.ts'
import { createQuickPerson, inviteTestPerson } from './people.ts'
import { withDatabase } from './template.ts'

/** The service on its own database, with a clock the test can set. Everything else is the real thing. */
export interface TestService {
  readonly app: Server
  readonly database: TestDatabase
  readonly deps: Deps
  /** What each route says of itself, by its name, such as `POST /v1/customers/{id}/block`. */
  readonly configs: ReadonlyMap<string, FastifyContextConfig>
  /** Log entries of the operations, oldest first. */
  readonly logged: readonly Logged[]
  /** Advances the service's clock. */
  advance(ms: number): void
  setTime(at: Date): void
  /** Stops the clock until it is set or advanced: a test of a moment must not depend on how long it runs. */
  holdTime(): void
  /** Sends a request; bodies are sent as JSON. */
  call(method: Method, path: string, options?: CallOptions): Promise<Reply>
  createMerchant(options?: MerchantOptions): Promise<Merchant>
  /** Writes the requests so far to the request log, which otherwise happens periodically. */
  flushRequests(): Promise<void>
  close(): Promise<void>
}

export interface Logged {
  level: 'info' | 'warn' | 'error'
  details: object
  message: string
}

export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE' | 'PUT' | 'HEAD' | 'OPTIONS'

export interface CallOptions {
  body?: unknown
  token?: string
  headers?: Record<string, string>
  /** Client address of the request. */
  address?: string
}

export interface Reply {
  status: number
  // biome-ignore lint/suspicious/noExplicitAny: tests read responses the way a client would.
  body: any
  headers: LightMyRequestResponse['headers']
  /** The raw body, before parsing. */
  text: string
  method: string
  path: string
}

export interface MerchantOptions {
  scopes?: ('pos' | 'manage')[]
  country?: string
  currency?: string
  timezone?: string
}

/** An organization with a connection and a token, and requests made with it. */
export interface Merchant {
  readonly id: string
  readonly integration: string
  readonly connection: string
  readonly apiKey: string
  readonly apiSecret: string
  readonly token: string
  readonly refreshToken: string
  /**
   * Sends a request with this merchant's token; a request about people uses an owner's session, as only
   * owners may.
   */
  call(method: Method, path: string, body?: unknown, headers?: Record<string, string>): Promise<Reply>
  publishCampaign(definition?: object): Promise<string>
  register(campaignId: string, data?: object): Promise<Registered>
  /** Invites a person, who has not joined yet, and returns the id. */
  invite(): Promise<string>
  /** Flushes the request log and returns this merchant's newest request. */
  lastRequest(): Promise<string>
  /** Sends requests with a new token, for when the clock was set past the expiry of the first. */
  signIn(): Promise<Merchant['call']>
  /** Opens another connection to the same organization with these scopes, and sends its requests. */
  connect(scopes: ('pos' | 'manage')[]): Promise<Merchant['call']>
}

export interface Registered {
  readonly customer: string
  readonly card: string
  readonly barcode: string
}

export const adminToken = 'admin-token-of-the-tests-0123456789'
/** Known to tests, so that they can forge tokens. */
export const jwtSecret = 'jwt-secret-of-the-tests-0123456789-0123456789'

export const coffeeClub = {
  name: 'Coffee club',
  balances: [
    { key: 'points', name: 'Points' },
    { key: 'stamps', name: 'Stamps' },
  ],
  rules: [
    { id: 'base', kind: 'points_per_amount', balance: 'points', points: 1, per: 1 },
    {
      id: 'coffee',
      kind: 'collect_per_item',
      balance: 'stamps',
      amount: 1,
      products: ['latte', 'flat-white'],
    },
  ],
  rewards: [
    { key: 'free-coffee', name: 'Free coffee', kind: 'free_product', products: ['latte'], validDays: 30 },
    { key: 'five-off', name: '5 off', kind: 'amount_off', amount: 5 },
  ],
  thresholds: [
    { balance: 'stamps', at: 10, grant: 'free-coffee', consume: true },
    { balance: 'points', at: 500, grant: 'five-off' },
  ],
  spend: { balance: 'points', worth: 0.01, min: 100, maxShare: 0.5 },
}

export interface TestServiceOptions {
  rateLimit?: number
  rateLimits?: RateLimits
  writers?: number
  /** How long a statement waits for a row that another transaction has locked. */
  lockTimeoutMs?: number
  /** How long a statement may take. */
  statementTimeoutMs?: number
  /** How long a request may wait for its turn. */
  maxCallMs?: number
  /** How long a response may wait for its client to read it. */
  replyTimeoutMs?: number
  isBehindProxy?: boolean
  /** The configured public URL. */
  publicUrl?: string
  /** How often requests are written to the request log; by default only when a test asks for it. */
  flushRequestsEveryMs?: number
  /** How long bodies are redacted for the request log before the rest is logged without. */
  maxRedactMs?: number
  /** Another test service whose database this one uses, as a second instance. */
  sharing?: Pick<TestService, 'database'>
  /** How long events are kept; forever by default. */
  eventRetentionDays?: number
  /** A replica to read from, and how old its data may be. */
  replica?: { readonly connection: DatabaseConnection; readonly maxAgeMs: number }
  /** Records spans. */
  tracer?: Tracer
  /** Keys for passes, and where Apple's and Google's services are. */
  passes?: PassInstallation
  /** Where Square's API is. */
  squareHosts?: SquareHosts
  /** How hard the proof of work is that an enrollment asks for. */
  proofBits?: number
  /** Whether the tables are on the nodes of a cluster, if the tests run on one. */
  isDistributed?: boolean
  /** Whether it connects to the nodes of a cluster itself. */
  isDirect?: boolean
}

const patienceMs = 100_000

/** The timeouts of production, for races: what would wait too long for a row there does so here as well. */
export const productionLimits = { statementTimeoutMs: 5_000, lockTimeoutMs: 3_000, maxCallMs: 10_000 }

const dayMs = 86_400_000
const untilNoonMs = Math.ceil(Date.now() / dayMs) * dayMs + dayMs / 2 - Date.now()

/**
 * The current time as if the tests had begun at noon, so that midnight does not fall within a test in any
 * time zone.
 */
export const nearNoon = () => new Date(Date.now() + untilNoonMs)

export async function startTestService(options: TestServiceOptions = {}): Promise<TestService> {
  // Far beyond those of `serve.ts`: on a busy computer a request may wait for seconds, and only a test about
  // waiting should reach a limit.
  const limits = {
    maxConnections: 10,
    connectionTimeoutMs: patienceMs,
    statementTimeoutMs: options.statementTimeoutMs ?? patienceMs,
    queryTimeoutMs: patienceMs,
    lockTimeoutMs: options.lockTimeoutMs ?? patienceMs,
  }
  const database = options.sharing
    ? shareDatabase(options.sharing.database, limits)
    : await createTestDatabase(limits)
  // Tests read everything through the database's pool; the service works with its own rights.
  const { isDistributed = isOnCluster, isDirect = isOnNodes } = options
  const pool = openPool(throughPooler(database.connection), {
    ...limits,
    role: appRole,
    isDistributed,
    isDirect,
  })
  // On a cluster, a statement that goes to more than one part of a table fails.
  if (isDistributed)
    pool.on('connect', (client) => client.query("SET citus.multi_task_query_log_level = 'error'"))
  let offsetMs = 0
  let heldAtMs: number | undefined
  const baseMs = () => heldAtMs ?? Date.now()
  const clock = () => new Date(baseMs() + offsetMs)
  const logged: Logged[] = []
  const logAs = (level: Logged['level']) => (details: object, message: string) => {
    logged.push({ level, details, message })
  }
  const log = { info: logAs('info'), warn: logAs('warn'), error: logAs('error') }
  const replica = options.replica && openReplica(options.replica, pool, log)
  const credentialPepper = 'pepper-of-the-tests'
  const allDeps = createDeps({
    pool,
    clock,
    jwtSecret,
    credentialPepper,
    accessTokenTtlSeconds: 3_600,
    refreshTokenTtlSeconds: 2_592_000,
    // Clocks of tests jump ahead by years, and the audits compare the events with everything else.
    eventRetentionDays: options.eventRetentionDays ?? 36_500,
    publicUrl: () => 'https://loyalty.example.com',
    webhookRanges: [{ address: '127.0.0.0', bits: 8 }],
    passes: options.passes,
    squareHosts: options.squareHosts,
    log,
    tracer: options.tracer,
  })
  const deps = { ...allDeps, challenges: createChallenges(credentialPepper, options.proofBits) }
  const baskets = createBasketProcessor({ deps, writers: options.writers, maxWaitMs: patienceMs })
  // Rows that appear on their own would break tests that compare the tables before and after a request.
  const requestLog = createRequestLog(deps, {
    flushEveryMs: options.flushRequestsEveryMs ?? 3_600_000,
    maxRedactMs: options.maxRedactMs,
  })
  const configs = new Map<string, FastifyContextConfig>()
  const app = await buildServer({
    deps: { ...deps, replica: replica?.reads },
    baskets,
    requestLog: {
      ...requestLog,
      watch(app) {
        app.addHook('onRoute', ({ method, url, config = {} }) => {
          const path = url.replaceAll(/:(\w+)/g, '{$1}')
          for (const verb of [method].flat()) configs.set(`${verb} ${path}`, config as FastifyContextConfig)
        })
        requestLog.watch(app)
      },
    },
    adminToken,
    rateLimits: options.rateLimits ?? { organization: options.rateLimit },
    isBehindProxy: options.isBehindProxy,
    publicUrl: options.publicUrl,
    maxCallMs: options.maxCallMs ?? patienceMs,
    replyTimeoutMs: options.replyTimeoutMs,
    isReady: async () => true,
  })
  await app.ready()

  async function call(
    method: Method,
    path: string,
    { body, token, headers, address }: CallOptions = {},
  ): Promise<Reply> {
    const reply = await app.inject({
      method,
      url: path,
      headers: { ...(token && { authorization: `Bearer ${token}` }), ...headers },
      ...(body !== undefined && { payload: body as object }),
      ...(address !== undefined && { remoteAddress: address }),
    })
    return {
      status: reply.statusCode,
      body: reply.body === '' ? undefined : parse(reply.body),
      headers: reply.headers,
      text: reply.body,
      method,
      path,
    }
  }

  async function createMerchant({
    scopes = ['pos', 'manage'],
    ...region
  }: MerchantOptions = {}): Promise<Merchant> {
    const admin = async (path: string, body: object) => {
      const reply = await call('POST', `/admin/v1${path}`, { body, token: adminToken })
      if (reply.status !== 201) throw new Error(`${path}: ${reply.text}`)
      return reply
    }
    const organization = await admin('/organizations', { name: 'Test', ...region })
    const integration = await admin('/integrations', { name: 'Till' })
    const connection = await admin(`/organizations/${organization.body.id}/connections`, {
      integration: integration.body.id,
      scopes,
    })
    const { apiKey } = integration.body
    const { apiSecret } = connection.body
    const issue = (secret: string) =>
      call('POST', '/auth/token', { headers: { 'x-api-key': apiKey, 'x-api-secret': secret } })
    const callsWith =
      (token: string): Merchant['call'] =>
      (method, path, body, headers) =>
        call(method, path, { body, token, headers })
    const issued = await issue(apiSecret)
    const token = issued.body.accessToken
    const ownWithToken = callsWith(token)
    const { id } = organization.body
    let owner: ReturnType<typeof createQuickPerson> | undefined
    const own: Merchant['call'] = async (method, path, body, headers) => {
      if (!path.startsWith('/v1/people')) return ownWithToken(method, path, body, headers)
      owner ??= createQuickPerson({ call, deps }, { id })
      return call(method, path, { body, headers: { cookie: (await owner).cookie, ...headers } })
    }
    return {
      id,
      integration: integration.body.id,
      connection: connection.body.id,
      apiKey,
      apiSecret,
      token,
      refreshToken: issued.body.refreshToken,
      call: own,
      async publishCampaign(definition = coffeeClub) {
        const created = await own('POST', '/v1/campaigns', definition)
        if (created.status !== 201) throw new Error(`campaign refused: ${JSON.stringify(created.body)}`)
        await own('POST', `/v1/campaigns/${created.body.id}/publish`)
        return created.body.id
      },
      async register(campaignId, data = {}) {
        const { body, status } = await own('POST', '/v1/customers/register', {
          campaignId,
          customer: { data },
        })
        if (status !== 201) throw new Error(`registration refused: ${JSON.stringify(body)}`)
        return { customer: body.id, card: body.cards[0].id, barcode: body.cards[0].barcode }
      },
      async invite() {
        return (await inviteTestPerson({ call }, { id }, 'cashier')).body.id
      },
      async lastRequest() {
        await requestLog.flush()
        return (await own('GET', '/v1/requests?limit=1')).body.data[0].id
      },
      async signIn() {
        return callsWith((await issue(apiSecret)).body.accessToken)
      },
      async connect(scopes) {
        const other = await admin(`/organizations/${organization.body.id}/connections`, {
          integration: integration.body.id,
          scopes,
        })
        return callsWith((await issue(other.body.apiSecret)).body.accessToken)
      },
    }
  }

  return {
    app,
    configs,
    database,
    deps,
    logged,
    advance(ms) {
      offsetMs += ms
    },
    setTime(at) {
      offsetMs = at.getTime() - baseMs()
    },
    holdTime() {
      heldAtMs ??= Date.now()
    },
    call,
    createMerchant,
    flushRequests: () => requestLog.flush(),
    async close() {
      await app.close()
      await requestLog.stop()
      deps.mappings.close()
      await replica?.stop()
      await pool.end()
      await database.close()
    },
  }
}

function openReplica({ connection, maxAgeMs }: ReplicaOptions, primary: Pool, log: Deps['log']) {
  const pool = openPool(connection, { role: appRole, isReadOnly: true })
  const { stop, ...replica } = watchReplica({ primary, pool, role: appRole, maxAgeMs, log, everyMs: 20 })
  return { reads: createReplicaReads(primary, replica, { maxAgeMs, log }), stop }
}

type ReplicaOptions = NonNullable<TestServiceOptions['replica']>

function throughPooler(connection: DatabaseConnection): DatabaseConnection {
  const pooler = inject('pooler')
  if (pooler === undefined) return connection
  const name = typeof connection === 'string' ? new URL(connection).pathname.slice(1) : connection.database
  // A test with a server of its own stays there.
  const isShared = isDeepStrictEqual(connection, withDatabase(inject('postgres'), name))
  return isShared ? withDatabase(pooler, name) : connection
}

/** A separate pool for a database that its creator drops. */
function shareDatabase({ connection }: TestDatabase, limits: PoolOptions): TestDatabase {
  const pool = openPool(connection, { ...limits, isDistributed: isOnCluster })
  return { connection, pool, close: () => pool.end() }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
