/** Facts for readers and webhooks, written in the same database transaction as what they describe. */
import type { Step } from '../database/pipeline.ts'
import type { Fact } from '../domain/event.ts'
import { newId } from './new-id.ts'
import { jsons, texts, uuids } from './pg-arrays.ts'
import type { Tenant } from './tenant.ts'

export function eventsStep(org: string, facts: readonly Fact[], now: Date): Step | undefined {
  if (facts.length === 0) return undefined
  return {
    name: 'write-events',
    text: `INSERT INTO events (org_id, created_at, id, type, data)
SELECT $1::integer, $2::timestamptz, r.* FROM unnest($3::uuid[], $4::text[], $5::json[]) AS r`,
    values: [
      org,
      now.toISOString(),
      uuids(facts.map(() => newId('evt', now))),
      texts(facts.map((fact) => fact.type)),
      jsons(facts.map((fact) => fact.data)),
    ],
  }
}

export async function insertEvents(tenant: Tenant, facts: readonly Fact[], now: Date): Promise<void> {
  const step = eventsStep(String(tenant.orgId), facts, now)
  if (step) await tenant.db.pipe([step])
}
