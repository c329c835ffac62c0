/**
 * Bounds what runs on one card. All campaigns that run on a card together may have as much as one campaign
 * may have alone, so that the cost of a basket does not depend on how many campaigns share the work: with
 * 500 lines, the worst thousand rules take some ten milliseconds.
 */
import type { CampaignSize } from '../../domain/campaign.ts'
import type { CampaignId } from '../../domain/ids.ts'
import type { CampaignDefinition } from './campaign-definition.ts'

export const maxRulesOnCard = 1000
const most = { campaigns: 100, rules: maxRulesOnCard, balances: 50, thresholds: 200, tiers: 50 }

type Load = Record<keyof typeof most, number>

/** A preview works through at most this many lines × rules: it runs for a person who looks at the result. */
export const maxTriedSteps = 50_000

/** The definition must be well-formed. */
export function sizeOf(id: CampaignId, accepted: unknown): CampaignSize {
  const { name, rules, thresholds, tiers, balances, runsOn } = accepted as CampaignDefinition
  return {
    id,
    name,
    rules: rules?.length ?? 0,
    thresholds: thresholds?.length ?? 0,
    tiers: tiers?.length ?? 0,
    balances: balances.map(({ key }) => key),
    runsOn: runsOn ?? [],
  }
}

/**
 * What is too much on a card once a campaign has its new size; undefined if nothing is. What was accepted
 * before stays valid: a card that has too much is a problem only if the campaign adds to it.
 */
export function findOverload(
  next: CampaignSize,
  /** The same campaign as it was accepted before: its published version, its draft, or neither. */
  accepted: readonly CampaignSize[],
  /** The other campaigns that can run. */
  others: readonly CampaignSize[],
): { place: string; message: string } | undefined {
  for (const [position, card] of [next.id, ...next.runsOn].entries()) {
    const rest = others.filter((campaign) => isOn(card, campaign))
    const after = loadOf([...rest, next])
    const before = [rest, ...accepted.filter((own) => isOn(card, own)).map((own) => [...rest, own])].map(
      loadOf,
    )
    for (const what of Object.keys(most) as (keyof Load)[]) {
      if (after[what] <= most[what] || before.some((load) => load[what] >= after[what])) continue
      const host = others.find(({ id }) => id === card)
      return {
        place: position === 0 ? placeOf[what] : `runsOn[${position - 1}]`,
        message: describe(what, after[what], position === 0 ? 'this campaign' : `'${host?.name ?? card}'`),
      }
    }
  }
  return undefined
}

const isOn = (card: string, { id, runsOn }: CampaignSize) => id === card || runsOn.includes(card)

function loadOf(campaigns: readonly CampaignSize[]): Load {
  const sum = (count: (campaign: CampaignSize) => number) =>
    campaigns.reduce((total, campaign) => total + count(campaign), 0)
  return {
    campaigns: campaigns.length,
    rules: sum(({ rules }) => rules),
    thresholds: sum(({ thresholds }) => thresholds),
    tiers: sum(({ tiers }) => tiers),
    balances: new Set(campaigns.flatMap(({ balances }) => balances)).size,
  }
}

const placeOf: Record<keyof Load, string> = {
  campaigns: 'name',
  rules: 'rules',
  balances: 'balances',
  thresholds: 'thresholds',
  tiers: 'tiers',
}

function describe(what: keyof Load, count: number, host: string): string {
  const advice =
    what === 'campaigns'
      ? 'archive one that runs there, or leave this one off those cards'
      : `use fewer ${what}, archive a campaign that runs there, or leave this one off those cards`
  const would =
    what === 'campaigns'
      ? `${count} campaigns would run`
      : `all campaigns together would have ${count} ${what}`
  return `on the cards of ${host}, ${would}; at most ${most[what]} can run on one card: ${advice}`
}
