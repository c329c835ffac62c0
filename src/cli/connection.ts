import type { Command } from 'commander'
import { completeSecrets } from '../app/serve.ts'
import { parseId } from '../domain/ids.ts'
import type { ScopeName } from '../domain/organization.ts'
import { createCredentials } from '../operations/auth/credentials.ts'
import { recognizePepper } from '../operations/auth/recognize-pepper.ts'
import { createConnection } from '../operations/organizations/manage-organizations.ts'
import { inTransaction, platformOrg } from '../store/tenant.ts'
import { addCommand, type CommandOutput, type Context } from './command.ts'
import { addConnectionKeys } from './connection-keys.ts'
import { misused } from './failure.ts'
import { withPool } from './open-database.ts'
import { type Environment, readCredentialSettings } from './settings.ts'

interface CreateOptions {
  organization: string
  integration: string
  scopes: string
}

export function connectionCommand(program: Command, context: Context): void {
  const { env, report } = context
  const group = addCommand(
    program,
    'connection',
    'Connect integrations to organizations; list, rotate and revoke connections.',
    [
      'loyalty-wallet connection create --organization org_… --integration int_…',
      'loyalty-wallet connection list',
    ],
  )
  addCommand(group, 'create', 'Create a connection and print its API secret, once.', [
    'loyalty-wallet connection create --organization org_… --integration int_…',
    'loyalty-wallet connection create --organization org_… --integration int_… --scopes pos,manage --json',
  ])
    .requiredOption('--organization <id>', 'the organization, as "organization list" shows it')
    .requiredOption('--integration <id>', 'the integration, as "integration list" shows it')
    .option('--scopes <list>', 'pos (for tills), manage (for everything else), or both: pos,manage', 'pos')
    .action(async (options: CreateOptions) => report(await create(env, options)))
  addConnectionKeys(group, context)
}

async function create(env: Environment, options: CreateOptions): Promise<CommandOutput> {
  const scopes = readScopes(options.scopes)
  const config = readCredentialSettings(env)
  const connection = await withPool(config, async (pool) => {
    const { credentialPepper } = await completeSecrets(config)
    await recognizePepper(pool, credentialPepper, new Date())
    const credentials = createCredentials(credentialPepper)
    const input = {
      organization: parseId('org', options.organization),
      integration: parseId('int', options.integration),
      scopes,
    }
    return inTransaction(pool, platformOrg, (tenant) =>
      createConnection(tenant, credentials, input, new Date()),
    )
  })
  const { id, organization, integration, apiSecret, createdAt } = connection
  return {
    text: `Created connection ${id} of ${integration} to ${organization}, with ${scopes.join(' and ')}.
  API secret  ${apiSecret}
Save the secret now: it is not shown again. It works together with the API key of the integration.`,
    json: { id, organization, integration, scopes, createdAt: createdAt.toISOString(), apiSecret },
  }
}

const known: readonly ScopeName[] = ['pos', 'manage']

function readScopes(list: string): ScopeName[] {
  const names = list.split(',').map((name) => name.trim())
  const scopes = known.filter((scope) => names.includes(scope))
  const unknown = names.find((name) => !known.some((scope) => scope === name))
  if (unknown === undefined && scopes.length > 0) return scopes
  throw misused(`--scopes: "${unknown ?? ''}" is not a scope. Use pos, manage, or pos,manage.`)
}
