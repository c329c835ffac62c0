/** The connections of the organization that one is logged in to: who has access, and how to end that. */
import type { Command } from 'commander'
import type { LoyaltyWallet, Schemas } from '../../sdk/src/index.ts'
import type { CommandOutput, Context } from './command.ts'
import { misused } from './failure.ts'
import { addServiceCommand, confirm, type ServiceOptions, withWallet } from './open-wallet.ts'
import { readProfiles, storeProfile } from './profiles.ts'
import { toTable } from './table.ts'

interface RotateOptions extends ServiceOptions {
  readonly overlap: string
  readonly yes?: boolean
}

interface RevokeOptions extends ServiceOptions {
  readonly withDescendants?: boolean
  readonly yes?: boolean
}

export function addConnectionKeys(group: Command, context: Context): void {
  addServiceCommand(group, 'list', 'List the connections of the organization, newest first.', [
    'loyalty-wallet connection list',
    'loyalty-wallet connection list --json',
  ]).action(async (options: ServiceOptions) => context.report(await list(context, options)))
  addServiceCommand(group, 'rotate', 'Give a connection a new API secret and print it, once.', [
    'loyalty-wallet connection rotate con_…',
    'loyalty-wallet connection rotate con_… --overlap 86400 --yes',
  ])
    .argument('<id>', 'the connection, as "connection list" shows it')
    .option('--overlap <seconds>', 'how long the previous secret stays valid', '0')
    .option('--yes', 'do not ask')
    .action(async (id: string, options: RotateOptions) => context.report(await rotate(context, id, options)))
  addServiceCommand(group, 'revoke', 'End a connection: its secrets and tokens stop working at once.', [
    'loyalty-wallet connection revoke con_…',
    'loyalty-wallet connection revoke con_… --with-descendants --yes',
  ])
    .argument('<id>', 'the connection, as "connection list" shows it')
    .option('--with-descendants', 'also those with a secret that was shown to this one, and so on')
    .option('--yes', 'do not ask')
    .action(async (id: string, options: RevokeOptions) => context.report(await revoke(context, id, options)))
}

type Connection = Schemas['OwnConnection']

function list(context: Context, options: ServiceOptions): Promise<CommandOutput> {
  return withWallet(context, options, async (wallet) => {
    const connections: Connection[] = []
    for await (const one of wallet.listOwnConnections({ limit: 100 })) connections.push(one)
    const rows = connections.map((one) => [
      one.id,
      one.name ?? '',
      one.scopes.join(','),
      one.status,
      one.lastUsedAt?.slice(0, 16).replace('T', ' ') ?? 'never',
    ])
    const head = ['id', 'name', 'scopes', 'status', 'last used']
    const styleHead = (text: string) => context.style('bold', text)
    return {
      text: toTable(head, rows, { columns: context.columns, styleHead }),
      json: { data: connections },
    }
  })
}

async function rotate(context: Context, id: string, options: RotateOptions): Promise<CommandOutput> {
  const overlapSeconds = Number(options.overlap)
  if (!/^\d{1,7}$/.test(options.overlap))
    throw misused(`--overlap: "${options.overlap}" is not a number of seconds.`)
  const until = overlapSeconds === 0 ? 'at once' : `in ${overlapSeconds} seconds`
  await confirm(context, `The present secret of ${id} stops working ${until}. Go on?`, options.yes)
  return withWallet(context, options, async (wallet, { profile }) => {
    const isOwn = await actsAs(wallet, id)
    const { apiSecret } = await wallet.rotateConnection(id, { overlapSeconds })
    const isStored = isOwn && profile !== undefined && (await replaceSecret(context, profile, apiSecret))
    return {
      text: `Rotated ${id}. The previous secret stops working ${until}.
  API secret  ${apiSecret}
Save the secret now: it is not shown again.${isStored ? ` The profile "${profile}" uses it from now on.` : ''}`,
      json: { id, apiSecret, overlapSeconds, isStoredIn: isStored ? profile : undefined },
    }
  })
}

/** Whether a connection is the one that the client itself uses; its token names the user that it acts as. */
async function actsAs(wallet: LoyaltyWallet, id: string): Promise<boolean> {
  const [, claims = ''] = (await wallet.authorization())?.split('.') ?? []
  const { sub } = JSON.parse(Buffer.from(claims, 'base64url').toString())
  for await (const one of wallet.listOwnConnections({ limit: 100 }))
    if (one.id === id) return one.user === sub
  return false
}

/** People who rotate the connection that they are logged in with would be locked out otherwise. */
async function replaceSecret(context: Context, name: string, apiSecret: string): Promise<boolean> {
  const profile = (await readProfiles(context.env)).profiles[name]
  if (!profile) return false
  await storeProfile(context.env, name, { ...profile, apiSecret })
  return true
}

async function revoke(context: Context, id: string, options: RevokeOptions): Promise<CommandOutput> {
  await confirm(context, `Everything that uses ${id} loses its access at once. Go on?`, options.yes)
  return withWallet(context, options, async (wallet) => {
    const revoked = await wallet.revokeConnection(id, {
      revokeConnections: options.withDescendants === true,
    })
    return { text: `Revoked ${id}${revoked.name ? ` (${revoked.name})` : ''}.`, json: revoked }
  })
}
