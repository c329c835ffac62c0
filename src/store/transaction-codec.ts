/**
 * Baskets and their results as they are stored: the same facts with positions instead of names. A chain
 * stores hundreds of millions of them; written out, the result of a small basket took 831 bytes, this takes
 * about 300. What is read back is equal to what was written, field by field.
 */
import type { Line } from '../domain/basket.ts'
import type { CampaignId, CouponId } from '../domain/ids.ts'
import type { Movement, MovementKind } from '../domain/ledger-entry.ts'
import type { Place } from '../domain/refusal.ts'
import type { SkipReason } from '../domain/skip-reason.ts'
import type { Action, SaleContext, StoredBasket, TransactionResult } from '../domain/transaction.ts'
import type { WarningCode } from '../domain/warning.ts'
import { idFrom, uuidOf } from './tenant.ts'

type PackedMovement = [
  balance: number,
  version: number,
  amount: number,
  valueAfter: number,
  totalAfter: number,
]

/** The last element is where the service took the worth off: the position of a line, or −1 for the order. */
type PackedRedemption = ['r', coupon: string, discountMinor: number, line?: string | 0, takenFrom?: number]

type PackedAction =
  | PackedRedemption
  | ['s', movement: PackedMovement, discountMinor: number]
  | ['c', movement: PackedMovement, campaign: number, rule: string]
  | [
      'g',
      coupon: string | 0,
      campaign: number,
      reward: object,
      expiresAt: string | 0,
      threshold: [balance: number, at: number],
      movement: PackedMovement | 0,
    ]
  | ['t', campaign: number, tier: string]

type PackedResult = [
  amounts: [amountMinor: number, payableMinor: number, pointsDiscountMinor: number],
  campaigns: [id: string, version: number][],
  balances: [key: string, value: number, total: number, decimals: number][],
  actions: PackedAction[],
  skipped: PackedSkips[],
  progress: [balance: number | string, have: number, need: number, reward: string][],
  context: PackedContext,
  warnings?: [code: WarningCode, ...at: Place][],
]

/**
 * Consecutive rules of a campaign that were skipped for the same reason: often there are a thousand of them.
 */
type PackedSkips = [campaign: number, reason: SkipReason, ...rules: string[]]

type PackedContext = [
  currencyDecimals: number,
  timezone: string,
  balances: [balance: number | string, value: number, total: number][],
  isFirst: 0 | 1,
  rare?: Pick<SaleContext, 'paused' | 'usage' | 'spentFrom'>,
]

export function packResult(result: TransactionResult): PackedResult {
  const { amountMinor, payableMinor, pointsDiscountMinor, balances, campaigns } = result
  const campaignAt = (id: CampaignId) => campaigns.findIndex((campaign) => campaign.id === id)
  const balanceAt = (key: string) => balances.findIndex((balance) => balance.key === key)
  const movement = ({ key, version, amount, valueAfter, totalAfter }: Movement): PackedMovement => [
    balanceAt(key),
    version,
    amount,
    valueAfter,
    totalAfter,
  ]
  const packAction = (action: Action): PackedAction => {
    switch (action.kind) {
      case 'redeem_coupon':
        return packRedemption(action)
      case 'spend_points':
        return ['s', movement(action.movement), action.discountMinor]
      case 'collect':
        return ['c', movement(action.movement), campaignAt(action.campaign), action.rule]
      case 'grant_coupon': {
        const coupon = action.coupon ? uuidOf(action.coupon) : 0
        const threshold: [number, number] = [balanceAt(action.threshold.key), action.threshold.at]
        const taken = action.movement && movement(action.movement)
        return [
          'g',
          coupon,
          campaignAt(action.campaign),
          action.reward,
          action.expiresAt ?? 0,
          threshold,
          taken ?? 0,
        ]
      }
      case 'change_tier':
        return ['t', campaignAt(action.campaign), action.tier]
    }
  }
  const packed: PackedResult = [
    [amountMinor, payableMinor, pointsDiscountMinor],
    campaigns.map(({ id, version }) => [uuidOf(id), version]),
    balances.map(({ key, value, total, decimals }) => [key, value, total, decimals]),
    result.actions.map(packAction),
    packSkips(result.skipped, campaignAt),
    // A threshold may refer to a balance that the customer does not have yet.
    result.progress.map(({ key, have, need, reward }) => [
      balanceAt(key) < 0 ? key : balanceAt(key),
      have,
      need,
      reward,
    ]),
    packContext(result.context, balanceAt),
  ]
  if (result.warnings) packed.push(result.warnings.map(({ code, at }) => [code, ...at]))
  return packed
}

export function unpackResult(packed: PackedResult): TransactionResult {
  const [
    [amountMinor, payableMinor, pointsDiscountMinor],
    versions,
    held,
    actions,
    skipped,
    progress,
    context,
    warnings,
  ] = packed
  const campaigns = versions.map(([id, version]) => ({ id: idFrom('cmp', id), version }))
  const balances = held.map(([key, value, total, decimals]) => ({ key, value, total, decimals }))
  const keyAt = (at: number) => balances[at]!.key
  const campaignAt = (at: number) => campaigns[at]!.id
  const movement = (
    kind: MovementKind,
    [at, version, amount, valueAfter, totalAfter]: PackedMovement,
  ): Movement => ({
    key: keyAt(at),
    version,
    kind,
    amount,
    valueAfter,
    totalAfter,
  })
  const unpackAction = (packed: PackedAction): Action => {
    switch (packed[0]) {
      case 'r':
        return unpackRedemption(packed)
      case 's':
        return { kind: 'spend_points', movement: movement('spend', packed[1]), discountMinor: packed[2] }
      case 'c':
        return {
          kind: 'collect',
          movement: movement('collect', packed[1]),
          campaign: campaignAt(packed[2]),
          rule: packed[3],
        }
      case 'g': {
        const [, coupon, campaign, reward, expiresAt, [at, height], taken] = packed
        return {
          kind: 'grant_coupon',
          ...(coupon !== 0 && { coupon: couponOf(coupon) }),
          campaign: campaignAt(campaign),
          reward: reward as Extract<Action, { kind: 'grant_coupon' }>['reward'],
          ...(expiresAt !== 0 && { expiresAt }),
          threshold: { key: keyAt(at), at: height },
          ...(taken !== 0 && { movement: movement('consume', taken) }),
        }
      }
      case 't':
        return { kind: 'change_tier', campaign: campaignAt(packed[1]), tier: packed[2] }
    }
  }
  return {
    amountMinor,
    payableMinor,
    pointsDiscountMinor,
    actions: actions.map(unpackAction),
    skipped: unpackSkips(skipped, isPacked(context), campaignAt),
    progress: progress.map(([at, have, need, reward]) => ({
      key: typeof at === 'string' ? at : keyAt(at),
      have,
      need,
      reward,
    })),
    balances,
    campaigns,
    context: unpackContext(context, keyAt),
    ...(warnings && { warnings: warnings.map(([code, ...at]) => ({ code, at })) }),
  }
}

const couponOf = (uuid: string): CouponId => idFrom('cpn', uuid)

type Redemption = Extract<Action, { kind: 'redeem_coupon' }>

function packRedemption({ coupon, discountMinor, line, takenFrom }: Redemption): PackedRedemption {
  const packed: PackedRedemption = ['r', uuidOf(coupon), discountMinor]
  if (takenFrom !== undefined) packed.push(line ?? 0, takenFrom === 'order' ? -1 : takenFrom)
  else if (line !== undefined) packed.push(line)
  return packed
}

function unpackRedemption([, coupon, discountMinor, line, takenFrom]: PackedRedemption): Redemption {
  return {
    kind: 'redeem_coupon',
    coupon: couponOf(coupon),
    ...(typeof line === 'string' && { line }),
    discountMinor,
    ...(takenFrom !== undefined && { takenFrom: takenFrom < 0 ? 'order' : takenFrom }),
  }
}

function packSkips(
  skipped: TransactionResult['skipped'],
  campaignAt: (id: CampaignId) => number,
): PackedSkips[] {
  const packed: PackedSkips[] = []
  let campaignBefore: CampaignId | undefined
  for (const { campaign, rule, reason } of skipped) {
    const last = packed.at(-1)
    if (last && campaign === campaignBefore && reason === last[1]) last.push(rule)
    else packed.push([campaignAt(campaign), reason, rule])
    campaignBefore = campaign
  }
  return packed
}

function unpackSkips(
  packed: readonly PackedSkips[],
  areJoined: boolean,
  campaignAt: (at: number) => CampaignId,
): TransactionResult['skipped'] {
  // The earliest stored baskets list each skipped rule separately, the rule before the reason.
  if (!areJoined)
    return packed.map(([at, rule, reason]) => ({
      campaign: campaignAt(at),
      rule,
      reason: reason as SkipReason,
    }))
  return packed.flatMap(([at, reason, ...rules]) =>
    rules.map((rule) => ({ campaign: campaignAt(at), rule, reason })),
  )
}

function isPacked(context: PackedContext | SaleContext): context is PackedContext {
  return Array.isArray(context)
}

function packContext(context: SaleContext, balanceAt: (key: string) => number): PackedContext {
  const { paused, usage, spentFrom } = context
  const balances = context.balances.map(([key, value, total]): PackedContext[2][number] => {
    const at = balanceAt(key)
    return [at < 0 ? key : at, value, total]
  })
  const packed: PackedContext = [
    context.currencyDecimals,
    context.timezone,
    balances,
    context.isFirst ? 1 : 0,
  ]
  if (paused || usage || spentFrom) packed.push({ paused, usage, spentFrom })
  return packed
}

function unpackContext(packed: PackedContext | SaleContext, keyAt: (at: number) => string): SaleContext {
  // The earliest stored baskets have property names.
  if (!isPacked(packed)) return packed
  const [currencyDecimals, timezone, balances, isFirst, rare] = packed
  return {
    currencyDecimals,
    timezone,
    balances: balances.map(([at, value, total]) => [typeof at === 'string' ? at : keyAt(at), value, total]),
    isFirst: isFirst === 1,
    ...rare,
  }
}

/** A basket without its defaults: no coupons, no points, lines numbered by position. */
export type PackedBasket = Partial<Omit<StoredBasket, 'lines'>> & {
  readonly lines?: readonly Partial<Line>[]
}

/** Properties without a value are omitted from the JSON. */
export function packBasket(basket: StoredBasket): PackedBasket {
  return {
    amount: basket.amount,
    discountAmount: basket.discountAmount,
    discountedAmount: basket.discountedAmount,
    categories: basket.categories,
    metaData: basket.metaData,
    lines: basket.lines.length > 0 ? basket.lines.map(packLine) : undefined,
    coupons: basket.coupons.length > 0 ? basket.coupons : undefined,
    couponsIncluded: basket.couponsIncluded,
    pointsToSpend: basket.pointsToSpend === 0 ? undefined : basket.pointsToSpend,
  }
}

function packLine(line: Line, i: number): Partial<Line> {
  return {
    product: line.product,
    name: line.name,
    category: line.category,
    unitPrice: line.unitPrice,
    amount: line.amount,
    discountAmount: line.discountAmount,
    discountedAmount: line.discountedAmount,
    id: line.id === String(i + 1) ? undefined : line.id,
    quantity: line.quantity === 1 ? undefined : line.quantity,
    coupons: line.coupons.length > 0 ? line.coupons : undefined,
  }
}

export function unpackBasket({
  lines = [],
  coupons = [],
  pointsToSpend = 0,
  ...rest
}: PackedBasket): StoredBasket {
  return {
    ...rest,
    lines: lines.map((line, i) => ({ id: String(i + 1), quantity: 1, coupons: [], ...line })),
    coupons,
    pointsToSpend,
  }
}
