/** Which campaign of a service a file is of, and how the differences are shown. */
import type { LoyaltyWallet, Schemas } from '../../sdk/src/index.ts'
import type { Change } from '../engine/definition/definition-changes.ts'
import type { CampaignFile } from './campaign-files.ts'
import type { Context } from './command.ts'
import { toPlain } from './table.ts'

export type Campaign = Schemas['Campaign']

export async function listCampaigns(wallet: LoyaltyWallet): Promise<Campaign[]> {
  const campaigns: Campaign[] = []
  for await (const one of wallet.listCampaigns({ limit: 100 })) campaigns.push(one)
  return campaigns
}

/** The campaign that a file is of: that with its ID, or else the only one with its name. */
export function findCampaign(file: CampaignFile, campaigns: readonly Campaign[]): Campaign | undefined {
  if (file.id !== undefined) return campaigns.find(({ id }) => id === file.id)
  const named = campaigns.filter(({ name, status }) => name === file.definition.name && status !== 'archived')
  return named.length === 1 ? named[0] : undefined
}

export function toChangeLines({ style }: Context, changes: readonly Change[]): string[] {
  return changes.map(({ place, before, after }) => {
    const show = (value: unknown) => toPlain(JSON.stringify(value))
    if (before === undefined) return style('green', `    + ${place}: ${show(after)}`)
    if (after === undefined) return style('red', `    - ${place}: ${show(before)}`)
    return style('yellow', `    ~ ${place}: ${show(before)} → ${show(after)}`)
  })
}
