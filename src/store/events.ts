/** Facts for readers and webhooks, written in the same database transaction as what they tell of. */
import type { Fact } from '../domain/event.ts'
import { newId } from './new-id.ts'
import { type Scope, uuidOf } from './scope.ts'

export async function insertEvents(scope: Scope, facts: readonly Fact[], now: Date): Promise<void> {
  if (facts.length === 0) return
  await scope.db.query(
    `INSERT INTO events (org_id, id, type, data, created_at)
     SELECT $1, id, type, data, $2 FROM unnest($3::uuid[], $4::text[], $5::json[]) AS e (id, type, data)`,
    [
      scope.org,
      now,
      facts.map(() => uuidOf(newId('evt', now))),
      facts.map((fact) => fact.type),
      facts.map((fact) => JSON.stringify(fact.data)),
    ],
  )
}
