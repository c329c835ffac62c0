import type { Command } from 'commander'
import { createCampaignCache } from '../operations/campaigns/campaign-cache.ts'
import { verifyLedger } from '../operations/wallets/verify-ledger.ts'
import { tenantOf } from '../store/tenant.ts'
import { addCommand, type CommandOutput, type Context } from './command.ts'
import { listChosenOrganizations } from './listing.ts'
import { withPool } from './open-database.ts'
import { readDatabaseSettings } from './settings.ts'
import { toTable } from './table.ts'

export function verifyLedgerCommand(program: Command, context: Context): void {
  addCommand(
    program,
    'verify-ledger',
    'Verify that ledger, balances, coupons and reports agree; exit with 1 if they do not.',
    [
      'loyalty-wallet verify-ledger',
      'loyalty-wallet verify-ledger --organization org_019a83f2c1d27b3a9e5f6d7c8b9a0f1e --json',
    ],
  )
    .option('--organization <id>', 'only this organization (default: all)')
    .action(async (options: { organization?: string }) =>
      context.report(await verify(context, options.organization)),
    )
}

async function verify({ env, progress }: Context, only: string | undefined): Promise<CommandOutput> {
  // The queries read thousands of customers each, which may take longer than the deadline of a request.
  const results = await withPool(readDatabaseSettings(env), async (pool) => {
    const organizations = await listChosenOrganizations(pool, only)
    const cache = createCampaignCache()
    const verified = []
    for (const organization of organizations) {
      const tenant = tenantOf(pool, organization.orgId)
      verified.push({ organization, ...(await verifyLedger(cache, tenant, organization, progress)) })
    }
    return verified
  })
  const isOk = results.every(({ ok }) => ok)
  const rows = results.map(({ organization, ok, checked, problems }) => [
    organization.id,
    organization.name,
    String(checked.customers),
    String(checked.entries),
    ok ? 'ok' : `${problems.length} problems`,
  ])
  const problems = results.flatMap((result) => result.problems.map(({ description }) => `  - ${description}`))
  return {
    text: [
      toTable(['organization', 'name', 'customers', 'entries', 'result'], rows),
      ...problems,
      isOk
        ? 'Everything agrees.'
        : 'Some records do not agree. Stop writing to the database and restore it from a backup, or ask for help.',
    ].join('\n'),
    json: {
      ok: isOk,
      data: results.map(({ organization, ok, checked, problems: found }) => ({
        organization: organization.id,
        ok,
        checked,
        problems: found,
      })),
    },
    exitCode: isOk ? 0 : 1,
  }
}
