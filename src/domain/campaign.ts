import type { CampaignId } from './ids.ts'

export const campaignStatuses = ['draft', 'published', 'paused', 'archived'] as const
export type CampaignStatus = (typeof campaignStatuses)[number]

/** A campaign as its merchant edits it. A published version is what runs; changes wait in the draft. */
export interface Campaign {
  readonly id: CampaignId
  readonly name: string
  readonly status: CampaignStatus
  /** The newest published version, 0 before the first. */
  readonly version: number
  /** The definition as written, published or not. */
  readonly draft: Record<string, unknown>
  /** Whether the draft differs from the published version. */
  readonly hasChanges: boolean
  readonly createdAt: Date
  readonly updatedAt: Date
}

export interface CampaignVersion {
  readonly campaign: CampaignId
  readonly version: number
  readonly definition: Record<string, unknown>
  readonly publishedAt: Date
}

/** What the cost of a basket and the size of its response grow with. */
export interface CampaignSize {
  readonly id: CampaignId
  readonly name: string
  readonly rules: number
  readonly thresholds: number
  readonly tiers: number
  /** Keys: campaigns may share a balance, which counts once. */
  readonly balances: readonly string[]
  readonly runsOn: readonly string[]
}
