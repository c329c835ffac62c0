/**
 * Makes the drafts of a service what files say. It can be run again at any time: what is as it should be is left
 * alone.
 */
import type { LoyaltyWallet, Schemas } from '../../sdk/src/index.ts'
import type { Change } from '../engine/definition/definition-changes.ts'
import {
  type CampaignFile,
  compareDefinitions,
  type Definition,
  fingerprint,
  readCampaignFiles,
  toDefinition,
  writeCampaignFile,
} from './campaign-files.ts'
import type { CommandOutput, Context } from './command.ts'
import { type Campaign, findCampaign, listCampaigns, toChangeLines } from './compare-campaigns.ts'
import { Failure } from './failure.ts'
import { confirm, type ServiceOptions, withWallet } from './open-wallet.ts'

export interface ApplyOptions extends ServiceOptions {
  readonly file: string
  readonly publish?: boolean
  readonly force?: boolean
  readonly yes?: boolean
}

interface Step {
  readonly file: CampaignFile
  readonly campaign: Campaign | undefined
  readonly action: 'create' | 'update' | 'unchanged'
  readonly changes: readonly Change[]
  readonly isPublished: boolean
}

export function applyFiles(context: Context, options: ApplyOptions): Promise<CommandOutput> {
  return withWallet(context, options, async (wallet) => {
    const files = await readCampaignFiles(options.file)
    const campaigns = await listCampaigns(wallet)
    const steps = files.map((file) => plan(file, campaigns, options))
    if (!options.force) refuseChanged(steps)
    const text = describe(context, steps)
    const isNothing = steps.every(({ action, isPublished }) => action === 'unchanged' && !isPublished)
    const results: object[] = []
    if (isNothing) {
      // A file that was only just matched by its name gets its ID.
      for (const step of steps) await settle(step.file, step.campaign!)
      return { text: 'Nothing to do: the service has everything that the files say.', json: { data: [] } }
    }
    context.note(text)
    await confirm(context, 'Apply this?', options.yes)
    for (const step of steps) results.push(await apply(wallet, step))
    return { text: 'Applied.', json: { data: results } }
  })
}

function plan(file: CampaignFile, campaigns: readonly Campaign[], options: ApplyOptions): Step {
  const campaign = findCampaign(file, campaigns)
  if (file.id !== undefined && !campaign)
    throw new Failure(
      'campaign_not_found',
      `${file.path}: the service has no campaign ${file.id}. Check the profile, or remove "id" to create it anew.`,
    )
  if (!campaign) {
    return { file, campaign, action: 'create', changes: [], isPublished: options.publish === true }
  }
  if (campaign.status === 'archived')
    throw new Failure('campaign_archived', `${file.path}: ${campaign.id} is archived. Remove the file.`)
  const changes = compareDefinitions(toDefinition(campaign), file.definition)
  const isChanged = changes.length > 0
  const isPublished = options.publish === true && (isChanged || campaign.hasChanges || campaign.version === 0)
  return { file, campaign, action: isChanged ? 'update' : 'unchanged', changes, isPublished }
}

/** Nobody's work is overwritten because a file was pulled before it. */
function refuseChanged(steps: readonly Step[]): void {
  const lost = steps.filter(
    ({ file, campaign, action }) =>
      action === 'update' && campaign && file.base !== fingerprint(toDefinition(campaign)),
  )
  if (lost.length === 0) return
  throw new Failure(
    'draft_changed',
    'The service has drafts that were changed since these files were in step with them. Look at them with "campaigns diff", then pull and merge, or overwrite them with --force:',
    { problems: lost.map(({ file, campaign }) => `${file.path} (${campaign!.id})`) },
  )
}

function describe(context: Context, steps: readonly Step[]): string {
  const lines = steps.flatMap(({ file, campaign, action, changes, isPublished }) => [
    context.style(
      'bold',
      `  ${action.padEnd(9)}  ${file.path}${campaign ? ` (${campaign.id})` : ''}${isPublished ? ', then publish' : ''}`,
    ),
    ...toChangeLines(context, changes),
  ])
  return ['Plan:', ...lines].join('\n')
}

async function apply(wallet: LoyaltyWallet, step: Step): Promise<object> {
  const { file, action, isPublished } = step
  let campaign = step.campaign as Campaign
  if (action === 'create') campaign = await wallet.createCampaign(file.definition)
  if (action === 'update')
    campaign = await wallet.patchCampaign(campaign.id, toPatch(campaign, file.definition))
  // Before publishing, which may be refused: the next attempt must find the campaign by its ID.
  await settle(file, campaign)
  if (isPublished) campaign = await wallet.publishCampaign(campaign.id)
  return { path: file.path, id: campaign.id, action, isPublished, version: campaign.version }
}

/** Writes into the file what it is in step with from now on. */
async function settle(file: CampaignFile, campaign: Campaign): Promise<void> {
  const definition = toDefinition(campaign)
  await writeCampaignFile({ path: file.path, id: campaign.id, base: fingerprint(definition), definition })
}

/** What the file does not have is removed, also from inside of `spend`, which the service would otherwise keep. */
function toPatch(campaign: Campaign, definition: Definition): Schemas['CampaignPatch'] {
  const absent = Object.keys(toDefinition(campaign)).filter((name) => !(name in definition))
  const nothing = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, null]))
  const { spend } = definition
  const removed = spend ? Object.keys(campaign.spend ?? {}).filter((name) => !(name in spend)) : []
  return {
    ...definition,
    ...nothing(absent),
    ...(spend && { spend: { ...spend, ...nothing(removed) } }),
  } as Schemas['CampaignPatch']
}
