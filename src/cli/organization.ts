import type { Command } from 'commander'
import { completeSecrets } from '../app/serve.ts'
import { type OrganizationId, parseId } from '../domain/ids.ts'
import { modeOf, type Organization } from '../domain/organization.ts'
import { Refused } from '../domain/refusal.ts'
import { createCredentials } from '../operations/auth/credentials.ts'
import { recognizePepper } from '../operations/auth/recognize-pepper.ts'
import { createOrganization } from '../operations/organizations/manage-organizations.ts'
import { createTestOrganization } from '../operations/test-mode/test-organizations.ts'
import { findOrganization, listOrganizations } from '../store/organizations.ts'
import { inTransaction, platformOrg, platformTenant } from '../store/tenant.ts'
import { addCommand, type CommandOutput, type Context } from './command.ts'
import { misused } from './failure.ts'
import { listAll, readName } from './listing.ts'
import { withPool } from './open-database.ts'
import { type Environment, readCredentialSettings, readDatabaseSettings } from './settings.ts'
import { toTable } from './table.ts'

interface CreateOptions {
  country?: string
  currency?: string
  timezone?: string
  locale?: string
  testOf?: string
}

export function organizationCommand(program: Command, { env, report }: Context): void {
  const group = addCommand(program, 'organization', 'Merchants: create and list organizations.', [
    "loyalty-wallet organization create 'Blue Bottle' --country US --currency USD --timezone America/New_York",
    'loyalty-wallet organization list',
  ])
  addCommand(group, 'create', 'Create an organization.', [
    "loyalty-wallet organization create 'Blue Bottle'",
    "loyalty-wallet organization create 'Blue Bottle, tests' --test-of org_…",
    "loyalty-wallet organization create 'Kaffeehaus' --country AT --currency EUR --timezone Europe/Vienna --locale de-AT --json",
  ])
    .argument('<name>', 'name of the merchant')
    .option('--country <code>', 'ISO 3166-1 code; also the region of national phone numbers (default: US)')
    .option('--currency <code>', 'ISO 4217 code; it cannot be changed later (default: USD)')
    .option('--timezone <zone>', 'IANA name (default: UTC)')
    .option('--locale <tag>', 'BCP 47 tag (default: en)')
    .option('--test-of <id>', 'make it a test organization of this one, with what that one has set up')
    .action(async (name: string, { testOf, ...options }: CreateOptions) =>
      report(
        await (testOf === undefined ? create(env, name, options) : createTest(env, name, testOf, options)),
      ),
    )
  addCommand(group, 'list', 'List all organizations.', [
    'loyalty-wallet organization list',
    'loyalty-wallet organization list --json',
  ]).action(async () => report(await list(env)))
}

async function create(env: Environment, name: string, options: CreateOptions): Promise<CommandOutput> {
  const input = {
    name: readName(name),
    country: options.country?.toUpperCase(),
    currency: options.currency?.toUpperCase(),
    timezone: options.timezone,
    locale: options.locale,
  }
  const organization = await withPool(readDatabaseSettings(env), (pool) =>
    inTransaction(pool, platformOrg, (tenant) => createOrganization(tenant, input, new Date())),
  )
  const text = `Created organization ${organization.id} (${organization.name}).
Connect an integration to it: loyalty-wallet connection create --organization ${organization.id} --integration <id>
Invite its first owner: loyalty-wallet person create --organization ${organization.id} --email <address>`
  return { text, json: toReply(organization) }
}

/** With a connection of its own, like those that merchants create themselves. */
async function createTest(
  env: Environment,
  name: string,
  testOf: string,
  options: CreateOptions,
): Promise<CommandOutput> {
  const [extra] = Object.keys(options)
  if (extra !== undefined) throw misused(`--${extra}: a test organization has that of its live one.`)
  const config = readCredentialSettings(env)
  const created = await withPool(config, async (pool) => {
    const { credentialPepper } = await completeSecrets(config)
    await recognizePepper(pool, credentialPepper, new Date())
    const id = parseId('org', testOf)
    const live = id && (await findOrganization(platformTenant(pool), id))
    if (!live) throw new Refused('organization_not_found')
    return inTransaction(pool, live.orgId, (tenant) =>
      createTestOrganization(
        tenant,
        createCredentials(credentialPepper),
        { name: readName(name) },
        new Date(),
      ),
    )
  })
  const { organization, connection, apiKey, apiSecret } = created
  return {
    text: `Created test organization ${organization.id} (${organization.name}), with a connection that may do everything.
  API key     ${apiKey}
  API secret  ${apiSecret}
Save both now: they are not shown again.`,
    json: { ...toReply(organization), connection: connection.id, apiKey, apiSecret },
  }
}

async function list(env: Environment): Promise<CommandOutput> {
  const organizations = await withPool(readDatabaseSettings(env), (pool) =>
    listAll((after: OrganizationId | undefined, limit) =>
      listOrganizations(platformTenant(pool), { limit, after }),
    ),
  )
  const rows = organizations.map(({ id, name, country, currency, timezone, isSubscribed }) => [
    id,
    name,
    country,
    currency,
    timezone,
    isSubscribed ? 'active' : 'inactive',
  ])
  return {
    text:
      rows.length === 0
        ? 'There are no organizations yet. Create one: loyalty-wallet organization create <name>'
        : toTable(['id', 'name', 'country', 'currency', 'time zone', 'subscription'], rows),
    json: { data: organizations.map(toReply) },
  }
}

/** The same fields as in the platform API. */
function toReply(organization: Organization) {
  const { id, name, country, currency, timezone, locale, isSubscribed, createdAt } = organization
  return {
    id,
    name,
    country,
    currency,
    timezone,
    locale,
    mode: modeOf(organization),
    subscription: { active: isSubscribed },
    createdAt: createdAt.toISOString(),
  }
}
