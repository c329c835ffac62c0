/** Imports customers, with their cards and opening balances. */
import { localDay } from '../../engine/clock/local-time.ts'
import { hasEnded } from '../../engine/rules/rule-conditions.ts'
import { idleKeysOf } from '../../engine/steps/expire-balances.ts'
import { updateProfile } from '../../store/customers.ts'
import { type DailyCount, dailySumsStep } from '../../store/daily-sums.ts'
import {
  insertCards,
  insertCustomers,
  listMatches,
  lockKnownCustomers,
  type MatchField,
} from '../../store/import-customers.ts'
import type { OpenImport } from '../../store/imports.ts'
import type { Step } from '../../store/question.ts'
import type { Tenant } from '../../store/tenant.ts'
import { insertBalancesOf, writeWallets } from '../../store/wallets/write.ts'
import type { LiveCampaign } from '../campaigns/published-campaigns.ts'
import type { Setup } from '../organizations/setup-cache.ts'
import { idleArmings } from '../wallets/idle-armings.ts'
import { type CustomerPlan, decideCustomers, keysOf } from './decide-customers.ts'
import { ChangedMeanwhile, type RowsOutcome, type RowsToImport } from './piece.ts'
import { type CustomerDraft, type CustomerRules, readCustomerRow } from './read-customer-row.ts'

export async function importCustomers(
  tenant: Tenant,
  { import: opened, rows, setup, now }: RowsToImport,
  alongside: (outcome: RowsOutcome) => Step,
): Promise<RowsOutcome> {
  const rules = rulesOf(opened, setup, now)
  const drafts = rows.map((row) => readCustomerRow(row, rules))
  const matches = await listMatches(tenant, keysByField(drafts))
  const known = await lockKnownCustomers(
    tenant,
    matches.map(({ customer }) => customer),
  )
  const plan = decideCustomers(drafts, {
    matches,
    known,
    updatesExisting: opened.updatesExisting,
    idleKeys: idleKeysOf(setup.inactivity) ?? new Set(),
    user: opened.user,
    now,
  })
  const outcome = { counts: plan.counts, rejected: plan.rejected }
  if (opened.isDryRun) await tenant.db.pipeAtCommit([alongside(outcome)])
  else await writePlan(tenant, plan, setup, now, alongside(outcome))
  return outcome
}

function rulesOf({ campaign, countsTowardTotal }: OpenImport, setup: Setup, now: Date): CustomerRules {
  const open = setup.live.filter(
    ({ status, compiled }) => status === 'published' && !hasEnded(compiled, now, setup.organization.timezone),
  )
  const campaigns = new Map<string, LiveCampaign>(open.map((each) => [each.id, each]))
  // Of several with one name, the oldest has it.
  for (const each of open) if (!campaigns.has(each.name)) campaigns.set(each.name, each)
  return { setup, campaigns, campaign: campaign && campaigns.get(campaign), countsTowardTotal }
}

function keysByField(drafts: readonly CustomerDraft[]): Record<MatchField, string[]> {
  const keys: Record<MatchField, string[]> = { barcode: [], opaqueId: [], email: [], phone: [] }
  for (const draft of drafts) for (const [field, key] of keysOf(draft)) keys[field].push(key)
  return keys
}

async function writePlan(
  tenant: Tenant,
  plan: CustomerPlan,
  setup: Setup,
  now: Date,
  chunk: Step,
): Promise<void> {
  for (const { id, profile } of plan.updated) await updateProfile(tenant, id, profile, now)
  const { created, cards, zeros, changes } = plan
  await tenant.db.pipe([
    ...insertCustomers(tenant, created, now),
    ...insertCards(tenant, cards),
    ...(zeros.length > 0 ? [insertBalancesOf(tenant, zeros)] : []),
  ])
  const day = localDay(now, setup.organization.timezone)
  const counts: DailyCount[] = [
    { measure: 'customers', key: '', amount: created.length },
    { measure: 'cards', key: '', amount: cards.length },
  ]
  const sums = dailySumsStep(
    String(tenant.orgId),
    counts.filter(({ amount }) => amount > 0),
    day,
  )
  const isWritten = await writeWallets(tenant, changes, {
    now,
    day,
    isLocked: false,
    due: {},
    armings: changes.length > 0 ? idleArmings(setup, now) : [],
    alongside: [...(sums ? [sums] : []), chunk],
  })
  if (!isWritten) throw new ChangedMeanwhile()
}
