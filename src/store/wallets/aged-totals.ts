/** A question that only returns ask besides what `load.ts` reads of a wallet. */
import type { TransactionId } from '../../domain/ids.ts'
import type { AgedTotal } from '../../domain/wallet.ts'
import { type Question, question } from '../question.ts'
import { idFrom, type Tenant, uuidOf } from '../tenant.ts'
import { ms, owner, toDate } from './load.ts'

/**
 * What the totals of a sale's customer owe to sales of so long ago that their coupons have expired, for each
 * threshold on the total that has expired coupons. Archived sales are that old: they are archived only then.
 */
export function agedTotalsOfBuyer({ orgId }: Tenant, sale: TransactionId, now: Date): Question<AgedTotal[]> {
  return question(
    'load-aged-totals',
    `WITH archived AS (
       SELECT * FROM archived_balances WHERE org_id = $1::integer AND customer_id = ${owner.txn}),
     thresholds AS (
       SELECT c.campaign_id, c.balance_key, c.at, c.reward ->> 'key' AS reward, greatest(
           max(c.created_at) FILTER (WHERE c.expires_at <= $3::timestamptz),
           $3::timestamptz - (array_agg(c.expires_at - c.created_at ORDER BY c.id DESC))[1],
           (SELECT sold_until FROM archived a WHERE a.key = c.balance_key)) AS until
       FROM coupons c WHERE c.org_id = $1::integer AND c.customer_id = ${owner.txn} AND c.balance_key IS NOT NULL
         AND c.consumed IS NULL
       GROUP BY 1, 2, 3, 4 HAVING min(c.expires_at) <= $3::timestamptz),
     collected AS (
       SELECT e.key, e.transaction_id, e.total_after - coalesce(lag(e.total_after) OVER (PARTITION BY e.key ORDER BY e.version),
         (SELECT total FROM archived a WHERE a.key = e.key), 0) AS units
       FROM ledger_entries e WHERE e.org_id = $1::integer AND e.customer_id = ${owner.txn}
         AND e.key IN (SELECT balance_key FROM thresholds))
     SELECT n.campaign_id, n.balance_key, n.at, n.reward, ${ms('n.until')},
       coalesce((SELECT sum(c.units) FROM collected c JOIN transactions t ON t.org_id = $1::integer AND t.id = c.transaction_id
         WHERE c.key = n.balance_key AND t.created_at <= n.until), 0)
         + coalesce((SELECT sold FROM archived a WHERE a.key = n.balance_key), 0)
     FROM thresholds n`,
    [String(orgId), uuidOf(sale), now.toISOString()],
    (rows) =>
      rows.map(([campaign, key, at, reward, until, total]) => ({
        campaign: idFrom('cmp', campaign!),
        key: key!,
        at: Number(at),
        reward: reward!,
        until: toDate(until)!,
        total: Number(total),
      })),
  )
}
