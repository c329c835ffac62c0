/** Facts for readers and webhooks, written in the same database transaction as what they describe. */
import type { Step } from '../database/pipeline.ts'
import type { Fact } from '../domain/event.ts'
import { newId } from './new-id.ts'
import { jsons, texts, uuids } from './pg-arrays.ts'
import type { Tenant } from './tenant.ts'

/**
 * Numbers the events and writes them. The counter's row is locked until the transaction ends, so these steps
 * come last: a reader who has seen a position has seen every one before it.
 */
export function eventsSteps(org: string, facts: readonly Fact[], now: Date): Step[] {
  if (facts.length === 0) return []
  return [
    {
      name: 'count-events',
      text: 'UPDATE event_counters SET last_position = last_position + $2::integer WHERE org_id = $1::integer',
      values: [org, String(facts.length)],
      isLast: true,
    },
    {
      name: 'write-events',
      text: `INSERT INTO events (org_id, position, created_at, id, type, data)
SELECT c.org_id, c.last_position - $2::integer + r.n, $3::timestamptz, r.id, r.type, r.data
FROM event_counters c, unnest($4::uuid[], $5::text[], $6::json[]) WITH ORDINALITY AS r (id, type, data, n)
WHERE c.org_id = $1::integer`,
      values: [
        org,
        String(facts.length),
        now.toISOString(),
        uuids(facts.map(() => newId('evt', now))),
        texts(facts.map((fact) => fact.type)),
        jsons(facts.map((fact) => fact.data)),
      ],
      isLast: true,
    },
  ]
}

export async function insertEvents(tenant: Tenant, facts: readonly Fact[], now: Date): Promise<void> {
  await tenant.db.pipeAtCommit(eventsSteps(String(tenant.orgId), facts, now))
}
