/**
 * Previews the sale with the service, which takes coupons and points off the price and says what is due. The
 * till sends the basket as it is and computes no price itself; the sale is the same body.
 */
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { api, dataOf, type Schemas } from '../../api/client.ts'
import { buyerOf, emptySale, isActive, type Sale } from './sale.ts'

/** With the customer and the card; with the barcode only if it was scanned without a network. */
export type Basket = Schemas['Basket']
type Preview = Schemas['TransactionPreview']

export interface Previewed {
  /** The body that was previewed; the sale is the same body with a receipt number. */
  readonly body: Basket
  readonly preview: Preview
  /** How far the service's clock is ahead of this computer's. */
  readonly clockOffset: number
}

/** Fields without a value are left out of the JSON. */
function toBasket(sale: Sale, branch: string | undefined): Basket {
  return {
    ...buyerOf(sale),
    branch,
    items: sale.lines.map(({ coupons, ...line }) => ({
      ...line,
      reward: coupons.length === 0 ? undefined : [...coupons],
    })),
    reward: sale.coupons.length === 0 ? undefined : [...sale.coupons],
    pointsToSpend: sale.pointsToSpend || undefined,
  }
}

/** The basket as it is charged without the service, which alone can redeem coupons and points. */
export const toBareBasket = (sale: Sale, branch: string | undefined): Basket =>
  toBasket(
    { ...sale, coupons: [], pointsToSpend: 0, lines: sale.lines.map((line) => ({ ...line, coupons: [] })) },
    branch,
  )

/** Turns a basket back into a sale, whose customer still has to be loaded. */
export function fromBasket({ customer, card, items = [], reward = [], pointsToSpend = 0 }: Basket): Sale {
  const lines = items.map(
    ({ product, name, category, unitPrice = 0, quantity = 1, reward: coupons = [] }, i) => ({
      id: String(i + 1),
      product,
      name: name ?? product ?? '',
      category,
      unitPrice,
      quantity,
      coupons: [coupons].flat(),
    }),
  )
  const awaited = customer === undefined ? undefined : { customer, card }
  return {
    ...emptySale,
    lines,
    lastLine: lines.length,
    coupons: [reward].flat(),
    pointsToSpend,
    awaited,
    isKept: true,
  }
}

/** What each coupon is worth in this basket, by id. */
export function worthOfCoupons({ executedActions }: Preview): Readonly<Record<string, number>> {
  return Object.fromEntries(
    executedActions.actions.flatMap((action) =>
      action.type === 'redeem_coupon' ? [[action.coupon, action.discount]] : [],
    ),
  )
}

/** Then the till finds out whether the service is still there, and goes on without it if not. */
const answerWithinMs = 6_000

async function askPreview(sale: Sale, branch: string | undefined, signal: AbortSignal): Promise<Previewed> {
  const params = { query: { include: 'spendable' as const } }
  const body = toBasket(sale, branch)
  const patient = AbortSignal.any([signal, AbortSignal.timeout(answerWithinMs)])
  const preview = await dataOf(api.POST('/v1/transactions/validate', { params, body, signal: patient }))
  return { body, preview, clockOffset: Date.parse(preview.occurredAt) - Date.now() }
}

/**
 * The balance that can pay and its limit, according to the service, which also knows about paused campaigns.
 */
export interface Spendable {
  readonly balance: string
  readonly most: number
}

function spendableIn(preview: Preview | undefined): Spendable | undefined {
  const { spendable, spendableBalance } = preview ?? {}
  if (spendable === undefined || spendableBalance === undefined) return undefined
  return { balance: spendableBalance, most: spendable }
}

/** Preview of the sale on the screen, requested after the last change; older requests are canceled. */
export function usePreview(sale: Sale, branch: string | undefined) {
  const [settled] = useDebouncedValue(sale, 150)
  const { customer, card } = settled
  const isAsked = customer !== undefined && isActive(customer) && card !== undefined && isActive(card)
  const query = useQuery({
    queryKey: ['preview', settled, branch],
    queryFn: ({ signal }) => askPreview(settled, branch, signal),
    enabled: isAsked,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    // Until the response arrives, earlier results are shown only if they belong to this sale.
    placeholderData: (previous, before) =>
      (before?.queryKey[1] as Sale | undefined)?.card === card ? previous : undefined,
  })
  // If the preview is refused with the selected points, a preview without them tells how many are allowed.
  const bare = { ...settled, pointsToSpend: 0 }
  const { data: withoutPoints } = useQuery({
    queryKey: ['preview', bare, branch],
    queryFn: ({ signal }) => askPreview(bare, branch, signal),
    enabled: isAsked && query.isError && settled.pointsToSpend > 0,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  })
  const isCurrent = settled === sale && isAsked && query.isSuccess && !query.isPlaceholderData
  return {
    shown: isAsked ? query.data : undefined,
    spendable: isAsked ? spendableIn((query.data ?? withoutPoints)?.preview) : undefined,
    /** The preview that may be charged: computed for exactly what is on the screen. */
    current: isCurrent ? query.data : undefined,
    error: settled === sale && isAsked ? query.error : null,
    isBusy: settled !== sale || (isAsked && query.isFetching),
    retry: query.refetch,
  }
}
