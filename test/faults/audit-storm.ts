import type { Pool, QueryConfig } from 'pg'
import { audit } from '../support/audit.ts'
import { type Action, type Answered, type Call, gatherCalls, type LogLine, writes } from './call-log.ts'

export interface Evidence {
  readonly pool: Pool
  /** The organization of the load; nobody else has written to it. */
  readonly organization: string
  readonly calls: readonly LogLine[]
  /** What the service wrote, of all its processes. */
  readonly serviceLog: string
  /** How long a call may take, from being sent to its answer. */
  readonly deadlineMs: number
}

/** The numbers of a storm, as they are printed. */
export interface Tally {
  readonly sent: number
  readonly acknowledged: number
  readonly refused: number
  /** Writes whose first try got no answer, or one that says nothing of the outcome. */
  readonly unknown: number
  readonly resentAndFound: number
  /** Acknowledged, and not exactly once in the database. */
  readonly lost: number
  /** Of the lost, those that are there more than once. */
  readonly doubled: number
  readonly answers503: number
  readonly slowestMs: number
}

/** Of several organizations. */
export function sumOf(tallies: readonly Tally[]): Tally {
  return tallies.reduce((sum, tally) => ({
    sent: sum.sent + tally.sent,
    acknowledged: sum.acknowledged + tally.acknowledged,
    refused: sum.refused + tally.refused,
    unknown: sum.unknown + tally.unknown,
    resentAndFound: sum.resentAndFound + tally.resentAndFound,
    lost: sum.lost + tally.lost,
    doubled: sum.doubled + tally.doubled,
    answers503: sum.answers503 + tally.answers503,
    slowestMs: Math.max(sum.slowestMs, tally.slowestMs),
  }))
}

/**
 * Looks for anything that a storm must not leave behind, in the client's log, the database and the service's
 * log alone. Nothing that the service says of itself afterwards is asked.
 */
export async function auditStorm(evidence: Evidence): Promise<{ problems: string[]; tally: Tally }> {
  const calls = gatherCalls(evidence.calls)
  const stored = await readStored(evidence)
  const kept = calls.flatMap((call) => checkKept(call, stored))
  const problems = [
    ...(await audit(evidence.pool)),
    ...(await checkHistory(evidence.pool)),
    ...kept,
    ...calls.flatMap(checkUnsettled),
    ...checkCounts(calls, stored),
    ...checkCoupons(calls),
    ...checkAnswers(calls, evidence),
  ]
  return { problems, tally: tallyOf(calls, stored, new Set(kept.map(callOf)).size) }
}

interface Stored {
  readonly transactions: Map<string, Row[]>
  readonly returns: Map<string, Row[]>
  readonly customers: Set<string>
  readonly registrations: Map<string, string>
  readonly counts: { sales: number; returns: number; customers: number }
  /** What the ledger moved for a transaction and its returns, by id and balance. */
  readonly moved: Map<string, number>
}

interface Row {
  readonly id: string
  readonly transaction?: string
}

const numbered = (kind: 'R' | 'K', text: string) => `${kind} ${text}`

async function readStored({ pool, organization }: Evidence): Promise<Stored> {
  const client = await pool.connect()
  // biome-ignore lint/suspicious/noExplicitAny: rows are what each query below selects.
  const read = async (text: string): Promise<any[]> =>
    (await client.query({ text, values: [org], query_timeout: 60_000 } as QueryConfig)).rows
  let org = 0
  try {
    await client.query('SET plan_cache_mode = auto; SET enable_seqscan = on; SET statement_timeout = 0')
    const found = await client.query(`SELECT org_id FROM organizations WHERE id = $1`, [plain(organization)])
    org = found.rows[0].org_id
    const sales = await read('SELECT id, opaque_id, idempotency_key FROM transactions WHERE org_id = $1')
    const returns = await read('SELECT id, transaction_id, opaque_id FROM returns WHERE org_id = $1')
    const customers = await read('SELECT id FROM customers WHERE org_id = $1')
    const keys = await read(
      `SELECT key, route, reply ->> 'id' AS id FROM idempotency_keys WHERE org_id = $1 AND status < 300`,
    )
    const moved = await read(
      `SELECT transaction_id AS id, key, sum(amount)::bigint AS amount FROM ledger_entries
       WHERE org_id = $1 AND transaction_id IS NOT NULL AND kind NOT LIKE 'return%' AND kind <> 'expire'
       GROUP BY transaction_id, key`,
    )
    const returnKeys = keys.filter(({ route }) => route.includes('/return'))
    return {
      transactions: group([
        ...sales.map(
          (row) => [row.opaque_id && numbered('R', row.opaque_id), { id: plain(row.id) }] as const,
        ),
        ...sales.map(
          (row) =>
            [row.idempotency_key && numbered('K', row.idempotency_key), { id: plain(row.id) }] as const,
        ),
      ]),
      returns: group([
        ...returns.map(
          (row) => [row.opaque_id && numbered('R', row.opaque_id), { id: plain(row.id) }] as const,
        ),
        ...returnKeys.map((row) => [numbered('K', row.key), { id: plain(row.id) }] as const),
      ]),
      customers: new Set(customers.map((row) => plain(row.id))),
      registrations: new Map(keys.map((row) => [row.key, plain(row.id ?? '')])),
      counts: { sales: sales.length, returns: returns.length, customers: customers.length },
      moved: new Map(moved.map((row) => [`${plain(row.id)} ${row.key}`, Number(row.amount)])),
    }
  } finally {
    client.release(true)
  }
}

/** The bytes of an id, in one spelling: without its prefix and without dashes. */
const plain = (id: string) => id.slice(id.indexOf('_') + 1).replaceAll('-', '')

function group(entries: readonly (readonly [string | undefined | null, Row])[]): Map<string, Row[]> {
  const groups = new Map<string, Row[]>()
  for (const [name, row] of entries) if (name) groups.set(name, [...(groups.get(name) ?? []), row])
  return groups
}

const callOf = (problem: string) => problem.split(': ', 1)[0]!

/** An acknowledged call is in the database once, as it was answered; a refused one is not there. */
function checkKept(call: Call, stored: Stored): string[] {
  const [first] = call.sent
  const { operation } = first!
  if (!writes.includes(operation)) return []
  const ids = [...new Set(call.acknowledged.map(({ id }) => plain(id!)))]
  if (ids.length > 1) return [`${call.id}: answered as ${ids.join(' and ')}`]
  const found = rowsOf(call, stored)
  if (ids.length === 0) {
    return call.refused.length > 0 && found.length > 0 ? [`${call.id}: refused, yet ${found} is there`] : []
  }
  const [id] = ids
  if (found.length !== 1 || found[0] !== id)
    return [`${call.id}: acknowledged as ${id}, and ${found.length === 0 ? 'nothing' : found} is there`]
  return operation === 'sale' ? checkMovements(call, id!, stored) : []
}

/** The ids under which a call's receipt number or key is stored, each once. */
function rowsOf(call: Call, stored: Stored): string[] {
  const { operation, receipt, key } = call.sent[0]!
  if (operation === 'register') {
    const id = stored.registrations.get(key!)
    return id !== undefined && stored.customers.has(id) ? [id] : []
  }
  const rows = operation === 'sale' ? stored.transactions : stored.returns
  const names = [receipt && numbered('R', receipt), key && numbered('K', key)].filter((name) => name)
  const each = names.map((name) => (rows.get(name!) ?? []).map(({ id }) => id))
  // A row that only one of two names leads to is one too few under the other.
  if (each.some((ids) => ids.length !== 1)) return each.find((ids) => ids.length !== 1)!
  return [...new Set(each.flat())]
}

/** The ledger moved what the answer said. */
function checkMovements(call: Call, id: string, { moved }: Stored): string[] {
  const said = new Map<string, number>()
  for (const { type, key, amount = 0 } of call.acknowledged[0]!.actions ?? []) {
    if (key) said.set(key, (said.get(key) ?? 0) + (type === 'collect' ? amount : -amount))
  }
  return [...said].flatMap(([key, amount]) => {
    const inLedger = moved.get(`${id} ${key}`) ?? 0
    return inLedger === amount ? [] : [`${call.id}: said ${amount} ${key}, and the ledger moved ${inLedger}`]
  })
}

function checkUnsettled(call: Call): string[] {
  if (!writes.includes(call.sent[0]!.operation)) return []
  return call.acknowledged.length + call.refused.length > 0
    ? []
    : [`${call.id}: sent ${call.sent.length} times and never settled`]
}

/** What no call of the log accounts for was done twice, or by nobody. */
function checkCounts(calls: readonly Call[], { counts }: Stored): string[] {
  const made = (operation: string) =>
    calls.filter((call) => call.sent[0]!.operation === operation && call.acknowledged.length > 0).length
  return [
    ['sales', made('sale'), counts.sales] as const,
    ['returns', made('return'), counts.returns] as const,
    ['customers', made('register'), counts.customers] as const,
  ].flatMap(([what, acknowledged, there]) =>
    acknowledged === there ? [] : [`${acknowledged} ${what} were acknowledged, and ${there} are there`],
  )
}

/** A coupon that two sales were told they redeemed, unless a return gave it back. */
function checkCoupons(calls: readonly Call[]): string[] {
  const redeemed = new Map<string, string[]>()
  const restored = new Map<string, number>()
  for (const call of calls) {
    const actions: readonly Action[] = call.acknowledged[0]?.actions ?? []
    if (!writes.includes(call.sent[0]!.operation)) continue
    for (const { type, coupon } of actions) {
      if (type === 'redeem_coupon') redeemed.set(coupon!, [...(redeemed.get(coupon!) ?? []), call.id])
      if (type === 'restore_coupon') restored.set(coupon!, (restored.get(coupon!) ?? 0) + 1)
    }
  }
  return [...redeemed]
    .filter(([coupon, by]) => by.length > 1 + (restored.get(coupon) ?? 0))
    .map(([coupon, by]) => `${coupon} was redeemed by ${by.join(' and ')}`)
}

/** Faults are said as such: 503 with a time to come back, in the log with the id of the request, and in time. */
function checkAnswers(calls: readonly Call[], { serviceLog, deadlineMs }: Evidence): string[] {
  const logged = new Set([...serviceLog.matchAll(/"reqId":"([^"]+)"/g)].map(([, id]) => id))
  return calls.flatMap((call) =>
    call.answers.flatMap((answer) => {
      const name = `${call.id}.${answer.attempt}`
      const problems: string[] = []
      if (answer.status >= 500 && answer.status !== 503) problems.push(`${name}: answered ${answer.status}`)
      if (answer.status === 503 && !answer.retryAfter) problems.push(`${name}: 503 without Retry-After`)
      if (answer.status >= 500 && !logged.has(name)) problems.push(`${name}: ${answer.status} is not logged`)
      const tookMs = tookOf(call, answer)
      if (tookMs > deadlineMs) problems.push(`${name}: answered ${answer.status} after ${tookMs} ms`)
      return problems
    }),
  )
}

function tookOf(call: Call, answer: Answered): number {
  return answer.at - call.sent.find(({ attempt }) => attempt === answer.attempt)!.at
}

function isDoubled(call: Call, stored: Stored): boolean {
  return new Set(call.acknowledged.map(({ id }) => id)).size > 1 || rowsOf(call, stored).length > 1
}

function tallyOf(calls: readonly Call[], stored: Stored, lost: number): Tally {
  const changing = calls.filter((call) => writes.includes(call.sent[0]!.operation))
  const isFirst = ({ attempt }: { attempt: number }) => attempt === 1
  const isKnown = (call: Call) => [...call.acknowledged, ...call.refused].some(isFirst)
  const unknown = changing.filter((call) => !isKnown(call))
  const answers = calls.flatMap((call) =>
    call.answers.map((answer) => ({ ...answer, tookMs: tookOf(call, answer) })),
  )
  return {
    sent: calls.length,
    acknowledged: changing.filter((call) => call.acknowledged.length > 0).length,
    refused: changing.filter((call) => call.acknowledged.length === 0 && call.refused.length > 0).length,
    unknown: unknown.length,
    resentAndFound: unknown.filter((call) => call.acknowledged.some(({ isReplay }) => isReplay)).length,
    lost,
    doubled: changing.filter((call) => isDoubled(call, stored)).length,
    answers503: answers.filter(({ status }) => status === 503).length,
    slowestMs: answers.reduce((slowest, { tookMs }) => Math.max(slowest, tookMs), 0),
  }
}

async function checkHistory(pool: Pool): Promise<string[]> {
  const problems: string[] = []
  const client = await pool.connect()
  try {
    await client.query('SET plan_cache_mode = auto; SET enable_seqscan = on; SET statement_timeout = 0')
    for (const [what, text] of Object.entries(history)) {
      const { rows } = await client.query({ text, query_timeout: 60_000 } as QueryConfig)
      for (const row of rows.slice(0, 5)) problems.push(`${what}: ${JSON.stringify(row)}`)
    }
  } finally {
    client.release(true)
  }
  return problems
}

/** Beside what every test's audit asks: returns and cards are told of, nothing ends before it begins. */
const history = {
  'a return was told more or less than once': `
    SELECT r.org_id, r.id, count(e.id) AS events FROM returns r
    LEFT JOIN events e ON e.org_id = r.org_id AND e.type = 'transaction.returned'
      AND e.data ->> 'return' = 'ret_' || replace(r.id::text, '-', '')
    GROUP BY r.org_id, r.id HAVING count(e.id) <> 1`,

  'a card was told to be opened more or less than once': `
    SELECT c.org_id, c.id, count(e.id) AS events FROM cards c
    LEFT JOIN events e ON e.org_id = c.org_id AND e.type = 'customer.registered'
      AND e.data ->> 'card' = 'card_' || replace(c.id::text, '-', '')
    GROUP BY c.org_id, c.id HAVING count(e.id) <> 1`,

  'a receipt number or key has two transactions': `
    SELECT org_id, opaque_id, idempotency_key FROM (
      SELECT *, count(*) OVER (PARTITION BY org_id, opaque_id) AS by_receipt,
        count(*) OVER (PARTITION BY org_id, idempotency_key) AS by_key FROM transactions) t
    WHERE (opaque_id IS NOT NULL AND by_receipt > 1) OR (idempotency_key IS NOT NULL AND by_key > 1)`,

  'the versions of a balance run against those of its wallet': `
    SELECT * FROM (
      SELECT org_id, customer_id, key, version, wallet_version,
        lag(wallet_version) OVER (PARTITION BY org_id, customer_id, key ORDER BY version) AS earlier
      FROM ledger_entries) e
    WHERE earlier > wallet_version`,

  'a coupon ends before it begins': 'SELECT org_id, id FROM coupons WHERE expires_at <= created_at',

  'a session ends before it begins': 'SELECT org_id, id FROM sessions WHERE expires_at <= created_at',

  'a lot ends before its entry': `
    SELECT l.org_id, l.customer_id, l.key, l.version FROM lots l
    JOIN ledger_entries e USING (org_id, customer_id, key, version) WHERE l.expires_at <= e.created_at`,
}
