import type { Command } from 'commander'
import { completeSecrets } from '../app/serve.ts'
import { baseUrlOf, type Config } from '../config.ts'
import { type PersonId, parseId } from '../domain/ids.ts'
import { personEmail, type Role, roles, statusOfPerson, toPersonReply } from '../domain/person.ts'
import { Refused } from '../domain/refusal.ts'
import { type Credentials, createCredentials } from '../operations/auth/credentials.ts'
import {
  type Invitation,
  invitationUrl,
  invitePersonTo,
  renewInvitationOf,
} from '../operations/auth/manage-people.ts'
import { recognizePepper } from '../operations/auth/recognize-pepper.ts'
import { type AuditNote, recordAudit } from '../operations/transact.ts'
import { findOrganization } from '../store/organizations.ts'
import { listPeople } from '../store/people.ts'
import { inTransaction, platformOrg, platformTenant, type Tenant, tenantOf } from '../store/tenant.ts'
import { addCommand, type CommandOutput, type Context } from './command.ts'
import { misused } from './failure.ts'
import { listAll, readName } from './listing.ts'
import { withPool } from './open-database.ts'
import { type Environment, readDatabaseSettings, readLinkSettings } from './settings.ts'
import { toTable } from './table.ts'

interface CreateOptions {
  organization: string
  email: string
  name?: string
  role: string
}

export function personCommand(program: Command, { env, report }: Context): void {
  const group = addCommand(program, 'person', "People who can sign in to an organization's console.", [
    'loyalty-wallet person create --organization org_… --email ada@example.com --role owner',
    'loyalty-wallet person list --organization org_…',
  ])
  addCommand(group, 'create', 'Invite a person and print the invitation link, once.', [
    'loyalty-wallet person create --organization org_… --email ada@example.com',
    "loyalty-wallet person create --organization org_… --email bob@example.com --name 'Bob' --role cashier --json",
  ])
    .requiredOption('--organization <id>', 'the organization, as "organization list" shows it')
    .requiredOption('--email <address>', 'email address that the person signs in with')
    .option('--name <name>', 'name of the person; they can also enter it themselves')
    .option('--role <role>', 'owner (everything), manager (everything but people) or cashier', 'owner')
    .action(async (options: CreateOptions) => report(await create(env, options)))
  addCommand(group, 'invite', 'Create a new link for a person, such as an owner who forgot the password.', [
    'loyalty-wallet person invite --email ada@example.com',
    'loyalty-wallet person invite --email ada@example.com --json',
  ])
    .requiredOption('--email <address>', 'email address that the person signs in with')
    .action(async (options: { email: string }) => report(await invite(env, options.email)))
  addCommand(group, 'list', 'List the people of an organization.', [
    'loyalty-wallet person list --organization org_…',
    'loyalty-wallet person list --organization org_… --json',
  ])
    .requiredOption('--organization <id>', 'the organization, as "organization list" shows it')
    .action(async (options: { organization: string }) => report(await list(env, options.organization)))
}

async function create(env: Environment, options: CreateOptions): Promise<CommandOutput> {
  const input = {
    email: readEmail(options.email),
    name: options.name === undefined ? undefined : readName(options.name),
    role: readRole(options.role),
  }
  const config = readLinkSettings(env)
  const organization = parseId('org', options.organization)
  const person = await withCredentials(config, async (tenant, credentials) => {
    const now = new Date()
    const invited = await invitePersonTo(tenant, credentials, organization, input, now)
    const { org, id, role } = invited
    await recordAudit(tenant, toNote('invitePersonToOrganization', org, id, { role }), now)
    return invited
  })
  const link = toLink(config, person.invitation)
  return {
    text: `Invited ${person.email} (${person.id}) as ${person.role}.\n${link.text}`,
    json: { ...toPersonReply(person), invitation: link.json },
  }
}

async function invite(env: Environment, address: string): Promise<CommandOutput> {
  const email = readEmail(address)
  const config = readLinkSettings(env)
  const invitation = await withCredentials(config, async (tenant, credentials) => {
    const now = new Date()
    const renewed = await renewInvitationOf(tenant, credentials, email, now)
    await recordAudit(tenant, toNote('renewInvitation', renewed.org, renewed.person), now)
    return renewed
  })
  const link = toLink(config, invitation)
  return {
    text: `${link.text}\nThe current password and sessions end when it is used.`,
    json: link.json,
  }
}

/** Anyone who can run this is the operator. The actions have the names of the corresponding API operations. */
const toNote = (action: string, org: number, id: PersonId, details?: object): AuditNote => ({
  org,
  by: { kind: 'operator' },
  action,
  subject: { kind: 'person', id },
  details,
  isTruncated: false,
})

function withCredentials<T>(
  config: Config,
  work: (tenant: Tenant, credentials: Credentials) => Promise<T>,
): Promise<T> {
  return withPool(config, async (pool) => {
    const { credentialPepper } = await completeSecrets(config)
    await recognizePepper(pool, credentialPepper, new Date())
    const credentials = createCredentials(credentialPepper)
    return inTransaction(pool, platformOrg, (tenant) => work(tenant, credentials))
  })
}

function toLink(config: Config, { token, expiresAt }: Invitation) {
  const url = invitationUrl(config.publicUrl ?? baseUrlOf(config.port, config), token)
  const until = expiresAt.toISOString()
  const where =
    config.publicUrl === undefined ? '\nSet PUBLIC_URL for links that work from other computers.' : ''
  return {
    text: `  Link  ${url}\nShare it now: it is not shown again. It can be used once, until ${until}.${where}`,
    json: { url, expiresAt: until },
  }
}

async function list(env: Environment, organization: string): Promise<CommandOutput> {
  const people = await withPool(readDatabaseSettings(env), async (pool) => {
    const id = parseId('org', organization)
    const found = id && (await findOrganization(platformTenant(pool), id))
    if (!found) throw new Refused('organization_not_found')
    const tenant = tenantOf(pool, found.orgId)
    return listAll((after: PersonId | undefined, limit) => listPeople(tenant, { limit, after }))
  })
  const rows = people.map((person) => [
    person.id,
    person.email,
    person.name ?? '',
    person.role,
    statusOfPerson(person),
    person.lastSeenAt?.toISOString() ?? '',
  ])
  return {
    text:
      rows.length === 0
        ? `There are no people yet. Invite someone: loyalty-wallet person create --organization ${organization} --email <address>`
        : toTable(['id', 'email', 'name', 'role', 'status', 'last seen'], rows),
    json: { data: people.map(toPersonReply) },
  }
}

function readEmail(text: string): string {
  if (personEmail.test(text) && text.length <= 254) return text
  throw misused(`--email: "${text}" is not an email address.`)
}

function readRole(text: string): Role {
  const role = roles.find((known) => known === text)
  if (role) return role
  throw misused(`--role: "${text}" is not a role. Use ${roles.join(', ').replace(/, (\w+)$/, ' or $1')}.`)
}
