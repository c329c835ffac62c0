/**
 * Tries a campaign's draft, saved or not, on the sales of a range of days: what it would have given and cost,
 * against what was given. Nothing is written. The sales are read in small groups, with a pause after each, so that
 * tills do not notice.
 */
import { setTimeout as pause } from 'node:timers/promises'
import type { BacktestResult, PastSale } from '../../domain/backtest.ts'
import type { Campaign } from '../../domain/campaign.ts'
import type { CampaignId, TransactionId } from '../../domain/ids.ts'
import type { Organization } from '../../domain/organization.ts'
import { Refused } from '../../domain/refusal.ts'
import { type BacktestRun, createBacktest } from '../../engine/backtest/backtest.ts'
import { startOfDay } from '../../engine/clock/local-time.ts'
import {
  type AttachedCampaign,
  type CompiledSpend,
  compileCampaign,
} from '../../engine/definition/compile-campaign.ts'
import { countSales, listPastSales } from '../../store/past-sales.ts'
import type { Tenant } from '../../store/tenant.ts'
import { attachedTo } from '../baskets/decide.ts'
import type { Deps } from '../deps.ts'
import { type DayRange, toDayRange } from '../organizations/report.ts'
import { timeOf } from '../organizations/time-of.ts'
import { dayAfter } from '../organizations/time-range.ts'
import { refuseBadDefinition } from './manage-campaigns.ts'
import { loadPublishedCampaigns } from './published-campaigns.ts'

/** The cards that the campaign would have run on: its own and those it extends, or all of them. */
export type TriedCards = 'own' | 'all'

export interface BacktestRequest {
  readonly from?: string
  readonly to?: string
  /** Tried instead of the draft. */
  readonly definition?: Record<string, unknown>
  readonly cards?: TriedCards
}

export interface Progress {
  readonly done: number
  readonly of: number
}

export interface StartedBacktest {
  readonly range: DayRange
  readonly cards: TriedCards
  /** Ends with the last sale. Has to be read to its end before the result is there. */
  readonly progress: AsyncIterable<Progress>
  result(): BacktestResult
  /** Decimals of a balance, also of one that only the draft has. */
  decimals(key: string): number
}

const maxSales = 1_000_000
const salesAtOnce = 50
/** Time for tills after each of these slices, which is as long. */
const sliceMs = 2
const reportEveryMs = 250
const waitMs = 100

/**
 * Organizations with a backtest in this process: each keeps the balances of its customers in memory, and takes up to
 * half of the processor.
 */
const running = new Set<number>()
const mostRunning = 2

export async function startBacktest(
  deps: Pick<Deps, 'campaigns' | 'clock'>,
  tenant: Tenant,
  organization: Organization,
  campaign: Campaign,
  request: BacktestRequest,
): Promise<StartedBacktest> {
  if (request.definition) await refuseBadDefinition(tenant, organization, request.definition, campaign.id)
  const range = toDayRange(request, organization, timeOf(deps, organization))
  const times = toTimes(range, organization)
  const of = await countSales(tenant, times, maxSales + 1)
  if (of > maxSales) {
    throw new Refused(
      '_invalid_payload',
      `from: the range has more than ${maxSales} sales; choose a shorter one.`,
    )
  }
  const cards = request.cards ?? (campaign.version > 0 ? 'own' : 'all')
  const definition = request.definition ?? campaign.draft
  const live = await loadPublishedCampaigns(deps, tenant, organization)
  const options = optionsOf(organization, campaign.id, definition, cards, live)
  const run = createBacktest(options)
  const declared = [options.campaign, ...live].flatMap(({ compiled }) => compiled.balances)
  return {
    range,
    cards,
    progress: readAll(tenant, times, of, run),
    result: run.result,
    decimals: (key) => declared.find((balance) => balance.key === key)?.decimals ?? 0,
  }
}

function toTimes({ from, to }: DayRange, { timezone }: Organization): { from: Date; to: Date } {
  const startOf = (day: string) => startOfDay(Date.parse(day), timezone)
  return { from: startOf(from), to: startOf(dayAfter(to, 1)) }
}

/** As if the campaign were published, and had been all the time; the others are as they are now. */
function optionsOf(
  organization: Organization,
  id: CampaignId,
  definition: object,
  cards: TriedCards,
  live: readonly AttachedCampaign[],
) {
  const { startsAt: _start, endsAt: _end, ...compiled } = compileCampaign(definition, organization)
  const campaign: AttachedCampaign = { id, version: 0, status: 'published', compiled }
  const others = live.filter((other) => other.id !== id)
  const today = live.filter((one) => one.id === id)
  const attached = new Map<CampaignId, readonly AttachedCampaign[]>()
  const onCard = (own: CampaignId) => {
    const all = attachedTo(cards === 'all' ? id : own, [campaign, ...others])
    return all.includes(campaign) ? all : []
  }
  return {
    campaign,
    organization,
    attachedTo(own: CampaignId) {
      const known = attached.get(own) ?? onCard(own)
      attached.set(own, known)
      return known
    },
    spends: { given: spendsOf([...others, ...today]), wouldGive: spendsOf([...others, campaign]) },
  }
}

/** What points are worth; on the cards of the last campaign, what that one pays for them. */
function spendsOf(campaigns: readonly AttachedCampaign[]): Map<string, CompiledSpend> {
  const spends = new Map<string, CompiledSpend>()
  for (const { compiled } of campaigns) if (compiled.spend) spends.set(compiled.spend.key, compiled.spend)
  return spends
}

async function* readAll(
  tenant: Tenant,
  times: { from: Date; to: Date },
  of: number,
  run: BacktestRun,
): AsyncGenerator<Progress> {
  while (running.has(tenant.orgId) || running.size >= mostRunning) {
    await pause(waitMs)
    yield { done: 0, of }
  }
  running.add(tenant.orgId)
  try {
    let done = 0
    let reportedAt = performance.now()
    yield { done, of }
    for (let after: TransactionId | undefined, isLast = false; !isLast; ) {
      const sales = await listPastSales(tenant, times, { limit: salesAtOnce, after })
      await addInSlices(run, sales)
      done += sales.length
      after = sales.at(-1)?.id
      isLast = sales.length < salesAtOnce
      if (!isLast && performance.now() - reportedAt < reportEveryMs) continue
      reportedAt = performance.now()
      // Sales are being processed meanwhile.
      yield { done, of: isLast ? done : Math.max(of, done) }
    }
  } finally {
    running.delete(tenant.orgId)
  }
}

async function addInSlices(run: BacktestRun, sales: readonly PastSale[]): Promise<void> {
  let startedAt = performance.now()
  for (const sale of sales) {
    run.add(sale)
    if (performance.now() - startedAt < sliceMs) continue
    await pause(sliceMs)
    startedAt = performance.now()
  }
}
