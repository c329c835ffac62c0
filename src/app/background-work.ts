/** The background work as an operator sees it, and doing it at once. */
import type { Pool } from 'pg'
import type { Config } from '../config.ts'
import type { Organization } from '../domain/organization.ts'
import { runRound } from '../jobs/run-jobs.ts'
import { createDeps, type Log } from '../operations/deps.ts'
import {
  listTroubledWork,
  listWork,
  type TroubledWork,
  updateWorkDue,
  type WorkKind,
  type WorkOfKind,
  workKinds,
} from '../store/due-work.ts'
import { platformTenant, tenantOf } from '../store/tenant.ts'
import { findWebhookFigures, type WebhookFigures } from '../store/webhooks.ts'
import { completeSecrets } from './serve.ts'

export type { TroubledWork, WebhookFigures, WorkKind }

export const kindsOfWork: readonly string[] = workKinds

export const isWorkKind = (text: string): text is WorkKind => kindsOfWork.includes(text)

export interface BackgroundWork {
  readonly kinds: readonly WorkOfKind[]
  readonly troubles: readonly TroubledWork[]
  readonly webhooks: WebhookFigures
}

const shownTroubles = 20

export async function readWork(pool: Pool, now: Date): Promise<BackgroundWork> {
  const platform = platformTenant(pool)
  return {
    kinds: await listWork(platform, now),
    troubles: await listTroubledWork(platform, shownTroubles),
    webhooks: await findWebhookFigures(platform, now),
  }
}

/** What is due, and first makes a kind of it due for these organizations. Returns how often it went well or not. */
export async function runWork(
  pool: Pool,
  config: Config,
  log: Log,
  first?: { readonly kind: WorkKind; readonly organizations: readonly Organization[] },
): Promise<{ readonly runs: number; readonly failures: number }> {
  const secrets = await completeSecrets(config)
  const deps = createDeps({ ...config, ...secrets, pool, log, publicUrl: () => config.publicUrl ?? '' })
  for (const { orgId } of first?.organizations ?? []) {
    await updateWorkDue(tenantOf(pool, orgId), first!.kind, deps.clock())
  }
  await runRound(deps)
  return { runs: sum(deps.workCounts.runs), failures: sum(deps.workCounts.failures) }
}

const sum = (counts: ReadonlyMap<string, number>) =>
  [...counts.values()].reduce((all, count) => all + count, 0)
