import type { Command } from 'commander'
import { completeSecrets } from '../app/serve.ts'
import type { IntegrationId } from '../domain/ids.ts'
import { createCredentials } from '../operations/auth/credentials.ts'
import { recognizePepper } from '../operations/auth/recognize-pepper.ts'
import { createIntegration } from '../operations/organizations/manage-organizations.ts'
import { type Integration, listIntegrations } from '../store/credentials.ts'
import { inTransaction, platformOrg, platformTenant } from '../store/tenant.ts'
import { addCommand, type CommandOutput, type Context } from './command.ts'
import { listAll, readName } from './listing.ts'
import { withPool } from './open-database.ts'
import { type Environment, readCredentialSettings, readDatabaseSettings } from './settings.ts'
import { toTable } from './table.ts'

export function integrationCommand(program: Command, { env, report }: Context): void {
  const group = addCommand(program, 'integration', 'Tills and shops: create and list integrations.', [
    "loyalty-wallet integration create 'Till software'",
    'loyalty-wallet integration list',
  ])
  addCommand(group, 'create', 'Create an integration and print its API key, once.', [
    "loyalty-wallet integration create 'Till software'",
    "loyalty-wallet integration create 'Web shop' --json",
  ])
    .argument('<name>', 'name of the integration')
    .action(async (name: string) => report(await create(env, name)))
  addCommand(group, 'list', 'List all integrations.', [
    'loyalty-wallet integration list',
    'loyalty-wallet integration list --json',
  ]).action(async () => report(await list(env)))
}

async function create(env: Environment, text: string): Promise<CommandOutput> {
  const name = readName(text)
  const config = readCredentialSettings(env)
  const integration = await withPool(config, async (pool) => {
    const { credentialPepper } = await completeSecrets(config)
    await recognizePepper(pool, credentialPepper, new Date())
    const credentials = createCredentials(credentialPepper)
    return inTransaction(pool, platformOrg, (tenant) =>
      createIntegration(tenant, credentials, name, new Date()),
    )
  })
  return {
    text: `Created integration ${integration.id} (${integration.name}).
  API key  ${integration.apiKey}
Save the key now: it is not shown again.`,
    json: { ...toReply(integration), apiKey: integration.apiKey },
  }
}

async function list(env: Environment): Promise<CommandOutput> {
  const integrations = await withPool(readDatabaseSettings(env), (pool) =>
    listAll((after: IntegrationId | undefined, limit) =>
      listIntegrations(platformTenant(pool), { limit, after }),
    ),
  )
  const rows = integrations.map(({ id, name, createdAt }) => [id, name, createdAt.toISOString()])
  return {
    text:
      rows.length === 0
        ? 'There are no integrations yet. Create one: loyalty-wallet integration create <name>'
        : toTable(['id', 'name', 'created'], rows),
    json: { data: integrations.map(toReply) },
  }
}

/** The same fields as in the platform API. */
function toReply({ id, name, createdAt }: Integration) {
  return { id, name, createdAt: createdAt.toISOString() }
}
