/** The doctor's checks of the keys that passes for the wallets of phones are signed with. */
import type { Pool } from 'pg'
import { walletKinds } from '../domain/wallet-pass.ts'
import { checkAppleKeys, checkGoogleKeys } from '../operations/passes/check-keys.ts'
import { type PassInstallation, publicHosts } from '../operations/passes/installation.ts'
import { readPassKeys } from '../operations/passes/pass-keys.ts'
import { createSeal } from '../operations/seal.ts'
import { findOwnOrganization } from '../store/organizations.ts'
import { listFeeds } from '../store/pass-feeds.ts'
import { platformTenant, tenantOf } from '../store/tenant.ts'
import { type Finding, ok, warning } from './finding.ts'

/** Those that the operator has set. */
export function checkInstallationKeys({ apple, google }: PassInstallation, now: Date): Finding {
  const check = 'pass keys'
  if (!apple && !google) return ok(check, 'the installation has none; organizations can have their own')
  const checked = {
    apple: apple && checkAppleKeys(apple, now),
    google: google && checkGoogleKeys(google),
  }
  const wrong = walletKinds.flatMap((wallet) =>
    (checked[wallet]?.problems ?? []).map(({ message }) => `${wallet}: ${message}`),
  )
  if (wrong.length > 0) {
    const advice = 'Replace the files of APPLE_PASS_… or GOOGLE_WALLET_…, and restart the service.'
    return warning(check, wrong.join(' '), advice)
  }
  const until = checked.apple?.shown.expiresAt?.toISOString().slice(0, 10)
  const names = walletKinds.filter((wallet) => checked[wallet] !== undefined).join(' and ')
  return ok(check, `those of the installation can be used (${names}${until ? `, until ${until}` : ''})`)
}

const mostOrganizations = 1_000
const mostNamed = 5

/** Those of organizations whose customers have passes: they notice nothing until updates end. */
export async function checkOrganizationKeys(pool: Pool, pepper: string): Promise<Finding> {
  const check = 'pass keys of merchants'
  const organizations = await listFeeds(platformTenant(pool), mostOrganizations)
  // Without the keys of the installation: these are checked on their own.
  const tools = { passes: { hosts: publicHosts }, clock: () => new Date(), seal: createSeal(pepper) }
  const wrong: string[] = []
  for (const org of organizations) {
    const tenant = tenantOf(pool, org)
    const keys = await readPassKeys(tools, tenant)
    const codes = walletKinds.flatMap((wallet) =>
      keys[wallet].problems.map(({ code }) => `${wallet} ${code}`),
    )
    if (codes.length > 0) wrong.push(`${(await findOwnOrganization(tenant))?.id} (${codes.join(', ')})`)
  }
  if (wrong.length === 0) return ok(check, `nothing is wrong with them (${organizations.length} looked at)`)
  const more = wrong.length > mostNamed ? ` and ${wrong.length - mostNamed} more` : ''
  return warning(
    check,
    `cannot be used, or expire within 30 days: ${wrong.slice(0, mostNamed).join(', ')}${more}`,
    'These merchants replace them in the console under Settings, Wallet passes, which says what is wrong.',
  )
}
