/** How a merchant manages the systems that send their sales, and what came of what they sent. */
import { type CampaignId, parseId, type ReceivedId, type SourceId } from '../../domain/ids.ts'
import { mainBranch } from '../../domain/organization.ts'
import { notFound, Refused } from '../../domain/refusal.ts'
import {
  receivedStatus,
  type Source,
  type SourceEnvironment,
  type SourceKind,
  sourceStatus,
} from '../../domain/source.ts'
import { findCampaign } from '../../store/campaigns.ts'
import { findBranchByOpaqueId, insertDirectoryEntry } from '../../store/directory.ts'
import { upsertDueWork } from '../../store/due-work.ts'
import { newId } from '../../store/new-id.ts'
import {
  deletePendingReceived,
  findReceived,
  type ReceivedWithContent,
  retryReceived,
} from '../../store/received-messages.ts'
import {
  countSources,
  deleteSource,
  findSource,
  insertSource,
  lockSource,
  type StoredSource,
  updateSource,
} from '../../store/sources.ts'
import type { Tenant } from '../../store/tenant.ts'
import { holdCaller } from '../auth/hold-caller.ts'
import type { Caller, Deps } from '../deps.ts'

export const maxSources = 100

/** Binds a sealed secret to its source. */
export const secretPlaceOf = (id: SourceId): string => `source ${id}`
export const accessTokenPlaceOf = (id: SourceId): string => `access token of source ${id}`

/** What depends on the kind. */
interface SourceSettings {
  readonly secret?: string
  readonly accessToken?: string | null
  readonly environment?: SourceEnvironment
  readonly signatureHeader?: string | null
  readonly mapping?: string
}

export interface SourceInput extends SourceSettings {
  readonly kind: SourceKind
  readonly name: string
  readonly campaign?: string
  readonly registersCustomers?: boolean
}

export interface SourceChange extends SourceSettings {
  readonly name?: string
  readonly status?: 'active' | 'paused'
  readonly campaign?: string | null
  readonly registersCustomers?: boolean
}

/** The secret is there only if we have made it; it is shown once. */
export async function addSource(
  tenant: Tenant,
  deps: Deps,
  caller: Caller,
  input: SourceInput,
): Promise<Source & { readonly secret?: string }> {
  const now = deps.clock()
  const { kind, name, registersCustomers = false } = input
  if (kind === 'json' && input.mapping === undefined) {
    throw new Refused('_invalid_payload', 'mapping: is missing.')
  }
  await holdCaller(tenant, caller, now)
  if ((await countSources(tenant)) >= maxSources) throw new Refused('too_many_sources')
  const id = newId('src', now)
  const user = newId('usr', now)
  const branch = await findBranchByOpaqueId(tenant, mainBranch)
  await insertDirectoryEntry(tenant, 'users', { id: user, opaqueId: id, name, branch, createdAt: now })
  const made = kind === 'json' && input.secret === undefined ? deps.credentials.create('lws') : undefined
  const blank: StoredSource = {
    id,
    kind,
    name,
    status: sourceStatus.active,
    registersCustomers,
    user,
    hasSecret: false,
    hasAccessToken: false,
    environment: kind === 'square' ? 'production' : undefined,
    createdAt: now,
    updatedAt: now,
  }
  const campaign = await campaignOf(tenant, input.campaign)
  checkRegistration(registersCustomers, campaign)
  const source = withSettings(deps, { ...blank, campaign }, { ...input, secret: made ?? input.secret })
  await insertSource(tenant, source)
  await upsertDueWork(tenant, [{ kind: 'deliveries', at: new Date(now.getTime() + dayMs) }], now)
  return { ...source, secret: made }
}

const dayMs = 86_400_000

export async function patchSource(
  tenant: Tenant,
  deps: Deps,
  caller: Caller,
  id: SourceId | undefined,
  change: SourceChange,
): Promise<Source> {
  const now = deps.clock()
  if (change.secret !== undefined || change.accessToken) await holdCaller(tenant, caller, now)
  const source = id && (await lockSource(tenant, id))
  if (!source) throw notFound('source_not_found')
  const { name = source.name, registersCustomers = source.registersCustomers } = change
  const campaign =
    change.campaign === undefined ? source.campaign : await campaignOf(tenant, change.campaign ?? undefined)
  checkRegistration(registersCustomers, campaign)
  const status = change.status === undefined ? source.status : sourceStatus[change.status]
  const changed = withSettings(
    deps,
    { ...source, name, status, campaign, registersCustomers, updatedAt: now },
    change,
  )
  await updateSource(tenant, changed)
  // What has waited while it was paused.
  if (change.status === 'active') await upsertDueWork(tenant, [{ kind: 'receiving', at: now }], now)
  return changed
}

/** Which settings a kind has. */
const settingsOf: Record<SourceKind, readonly (keyof SourceSettings)[]> = {
  square: ['secret', 'accessToken', 'environment'],
  shopify: ['secret'],
  json: ['secret', 'signatureHeader', 'mapping'],
}

/** Before the transaction begins: a mapping is parsed where others may be running. */
export async function checkSettings(
  { mappings }: Deps,
  { organization }: Caller,
  kind: SourceKind,
  settings: SourceSettings,
): Promise<void> {
  for (const name of ['secret', 'accessToken', 'environment', 'signatureHeader', 'mapping'] as const) {
    if (settings[name] === undefined || settingsOf[kind].includes(name)) continue
    throw new Refused('_invalid_payload', `${name}: a source of the kind ${kind} has none.`)
  }
  if (settings.mapping === undefined) return
  const problem = await mappings.parse(organization.id, settings.mapping)
  if (problem) throw new Refused('_invalid_payload', `mapping: ${problem.text}`)
}

async function campaignOf(tenant: Tenant, text: string | undefined): Promise<CampaignId | undefined> {
  if (text === undefined) return undefined
  const id = parseId('cmp', text)
  const campaign = id && (await findCampaign(tenant, id))
  if (!campaign) throw new Refused('campaign_not_found')
  return campaign.id
}

function checkRegistration(registersCustomers: boolean, campaign: CampaignId | undefined): void {
  if (!registersCustomers || campaign) return
  throw new Refused('_invalid_payload', 'campaign: is needed to register customers.')
}

function withSettings({ seal }: Deps, source: StoredSource, settings: SourceSettings): StoredSource {
  const { secret, accessToken, environment, signatureHeader, mapping } = settings
  const { id } = source
  const sealedSecret =
    secret === undefined ? source.sealedSecret : seal.seal(Buffer.from(secret), secretPlaceOf(id))
  const sealedAccessToken =
    accessToken === undefined
      ? source.sealedAccessToken
      : accessToken === null
        ? undefined
        : seal.seal(Buffer.from(accessToken), accessTokenPlaceOf(id))
  return {
    ...source,
    sealedSecret,
    sealedAccessToken,
    hasSecret: sealedSecret !== undefined,
    hasAccessToken: sealedAccessToken !== undefined,
    environment: environment ?? source.environment,
    signatureHeader:
      signatureHeader === undefined ? source.signatureHeader : (signatureHeader?.toLowerCase() ?? undefined),
    mapping: mapping ?? source.mapping,
  }
}

export async function getSource(tenant: Tenant, id: SourceId | undefined): Promise<StoredSource> {
  const source = id && (await findSource(tenant, id))
  if (!source) throw notFound('source_not_found')
  return source
}

export async function removeSource(tenant: Tenant, id: SourceId | undefined): Promise<SourceId> {
  if (!id || !(await deleteSource(tenant, id))) throw notFound('source_not_found')
  await deletePendingReceived(tenant, id)
  return id
}

/** Those of a deleted source are no longer shown. */
export async function getReceived(tenant: Tenant, id: ReceivedId | undefined): Promise<ReceivedWithContent> {
  const received = id && (await findReceived(tenant, id))
  if (!received || !(await findSource(tenant, received.source))) throw notFound('received_message_not_found')
  return received
}

/** One that is pending is tried at once. */
export async function retryMessage(
  tenant: Tenant,
  id: ReceivedId | undefined,
  now: Date,
): Promise<ReceivedWithContent> {
  const received = await getReceived(tenant, id)
  if (received.status === receivedStatus.recorded) return received
  const isStranger = ['no_customer', 'not_a_customer'].includes(received.problem?.code ?? '')
  if (received.payload === undefined || isStranger) throw new Refused('received_message_not_kept')
  await retryReceived(tenant, received.id, now)
  return getReceived(tenant, received.id)
}
