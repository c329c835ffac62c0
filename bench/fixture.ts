/**
 * The data for every measurement: an organization with a campaign and any number of customers. The database
 * generates them from numbers, so that two million take minutes and the load client can compute every id
 * instead of reading it.
 */
import type { Pool } from 'pg'
import { issueToken } from '../src/operations/auth/issue-token.ts'
import { createCampaign, publishCampaign } from '../src/operations/campaigns/manage-campaigns.ts'
import { createDeps, type Deps } from '../src/operations/deps.ts'
import {
  createConnection,
  createIntegration,
  createOrganization,
} from '../src/operations/organizations/manage-organizations.ts'
import { inTransaction, platformOrg, uuidOf } from '../src/store/tenant.ts'

export interface Fixture {
  readonly token: string
  readonly org: number
  readonly campaign: string
  readonly customers: number
}

/** Ids of customer and card number `n`; the SQL below uses the same rule. */
export const customerId = (n: number) =>
  `cus_0190000000007000${(0x800000000000 + n).toString(16).padStart(16, '0')}`
export const cardId = (n: number) =>
  `card_0190000100007000${(0x800000000000 + n).toString(16).padStart(16, '0')}`

/** Public secrets, for a database without real data. */
export const benchSecrets = {
  jwtSecret: 'secret-of-the-benchmark-0123456789-0123456789',
  credentialPepper: 'pepper-of-the-benchmark-0123456789',
  adminToken: 'operator-of-the-benchmark',
}

export function benchDeps(pool: Pool): Deps {
  return createDeps({
    pool,
    ...benchSecrets,
    accessTokenTtlSeconds: 86_400,
    refreshTokenTtlSeconds: 86_400,
    publicUrl: () => 'http://127.0.0.1',
    log: { info() {}, warn() {}, error() {} },
  })
}

export interface FixtureOptions {
  readonly customers: number
  readonly entriesPerCustomer?: number
  /** Number of rules on the card: the coffee club's two, and fillers for other products. */
  readonly rules?: number
  /** The definition of the card's campaign, instead of the coffee club. */
  readonly campaign?: Record<string, unknown>
  readonly onProgress?: (done: number, of: number) => void
}

export async function loadFixture(pool: Pool, options: FixtureOptions): Promise<Fixture> {
  const deps = benchDeps(pool)
  const now = deps.clock()
  const made = await inTransaction(pool, platformOrg, async (tenant) => {
    const organization = await createOrganization(tenant, { name: 'Benchmark' }, now)
    const integration = await createIntegration(tenant, deps.credentials, 'Benchmark', now)
    const { apiSecret } = await createConnection(
      tenant,
      deps.credentials,
      { organization: organization.id, integration: integration.id, scopes: ['pos', 'manage'] },
      now,
    )
    const own = tenant.as(organization.orgId)
    const { id } = await createCampaign(
      own,
      organization,
      options.campaign ?? campaignOf(options.rules ?? 2),
      now,
    )
    await publishCampaign(own, organization, id, now)
    await own.db.query(
      `INSERT INTO products (org_id, id, opaque_id, created_at, updated_at) VALUES ($1, gen_random_uuid(), 'latte', $2, $2)`,
      [own.orgId, now],
    )
    return { organization, apiKey: integration.apiKey, apiSecret, campaign: id }
  })
  await insertCustomers(pool, made.organization.orgId, uuidOf(made.campaign), options)
  const { accessToken } = await issueToken(deps, made.apiKey, made.apiSecret)
  return {
    token: accessToken,
    org: made.organization.orgId,
    campaign: made.campaign,
    customers: options.customers,
  }
}

function campaignOf(rules: number) {
  const fillers = Array.from({ length: Math.max(0, rules - 2) }, (_, i) => ({
    id: `filler-${i}`,
    kind: 'collect_per_item',
    balance: 'stamps',
    amount: 1,
    products: [`other-${i}`],
  }))
  return {
    name: 'Coffee club',
    balances: [{ key: 'points' }, { key: 'stamps' }],
    rules: [
      { id: 'base', kind: 'points_per_amount', balance: 'points', points: 1, per: 1 },
      { id: 'coffee', kind: 'collect_per_item', balance: 'stamps', amount: 1, products: ['latte'] },
      ...fillers,
    ],
    rewards: [{ key: 'free-coffee', kind: 'free_product', products: ['latte'] }],
    thresholds: [{ balance: 'points', at: 1_000_000_000, grant: 'free-coffee' }],
    spend: { balance: 'points', worth: 0.01 },
  }
}

const chunk = 50_000

/** Loads customers in chunks, to show progress and avoid huge transactions. Relies on the id scheme above. */
async function insertCustomers(
  pool: Pool,
  org: number,
  campaign: string,
  options: FixtureOptions,
): Promise<void> {
  const { customers, entriesPerCustomer = 0, onProgress } = options
  const client = await pool.connect()
  try {
    await client.query('SET statement_timeout = 0')
    for (let from = 0; from < customers; from += chunk) {
      const to = Math.min(customers, from + chunk) - 1
      for (const text of insertTexts(entriesPerCustomer)) {
        await client.query(
          text
            .replaceAll(':from', String(from))
            .replaceAll(':to', String(to))
            .replaceAll(':org', String(org))
            .replaceAll(':campaign', `'${campaign}'`),
        )
      }
      onProgress?.(to + 1, customers)
    }
    // Only the loaded tables: PostgreSQL assumes that a table vacuumed while empty stays empty, and plans
    // made then are used until the next analyze, a minute of the benchmark later. A real new database is
    // never vacuumed empty.
    const entries = entriesPerCustomer > 0 ? ', ledger_entries' : ''
    await client.query(`VACUUM (ANALYZE) customers, wallets, cards, balances${entries}`)
    await client.query('CHECKPOINT')
  } finally {
    client.release(true)
  }
}

const customerSql = `('0190000000007000' || lpad(to_hex(x'800000000000'::bigint + n), 16, '0'))::uuid`
const cardSql = `('0190000100007000' || lpad(to_hex(x'800000000000'::bigint + n), 16, '0'))::uuid`

function insertTexts(entries: number): string[] {
  const series = 'generate_series(:from::bigint, :to::bigint) AS n'
  const ledger = ['points', 'stamps'].map(
    (
      key,
    ) => `INSERT INTO ledger_entries (org_id, customer_id, key, version, wallet_version, kind, amount, value_after, total_after, created_at)
      SELECT :org, ${customerSql}, '${key}', v, v, 'collect', 1, v, v, now() - interval '1 year'
      FROM ${series}, generate_series(1, ${Math.ceil(entries / 2)}) AS v`,
  )
  return [
    // Includes the search key as the service writes it, or its job would backfill it during the measurement.
    `INSERT INTO customers (org_id, id, phone, fullname, name_key, created_at, updated_at)
       SELECT :org, ${customerSql}, '+1202' || lpad(n::text, 8, '0'), 'Customer ' || n, 'customer ' || n, now(), now()
       FROM ${series}`,
    `INSERT INTO wallets (org_id, customer_id) SELECT :org, ${customerSql} FROM ${series}`,
    `INSERT INTO cards (org_id, id, customer_id, campaign_id, barcode, created_at, updated_at)
       SELECT :org, ${cardSql}, ${customerSql}, :campaign::uuid, '2' || lpad(n::text, 15, '0'), now(), now() FROM ${series}`,
    ...['points', 'stamps'].map(
      (key) => `INSERT INTO balances (org_id, customer_id, key, value, total, version)
        SELECT :org, ${customerSql}, '${key}', ${Math.ceil(entries / 2)}, ${Math.ceil(entries / 2)}, ${Math.ceil(entries / 2)} FROM ${series}`,
    ),
    ...(entries > 0 ? ledger : []),
  ]
}
