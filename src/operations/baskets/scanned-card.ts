/**
 * Baskets that name their card by its barcode. The card is looked up before the basket is queued, because the
 * queue keeps a customer's baskets in order; lookups that arrive together share one query.
 */
import type { Pool } from 'pg'
import { Refused } from '../../domain/refusal.ts'
import { listCardsByBarcode, type ScannedCard } from '../../store/cards.ts'
import { tenantOf } from '../../store/tenant.ts'
import { createBatch, lookupLimits } from '../batch.ts'
import type { Caller } from '../deps.ts'
import type { BasketRequest } from './job.ts'

interface Scan {
  readonly org: number
  readonly barcode: string
}

export type ReadScannedCard = (scan: Scan) => Promise<ScannedCard | undefined>

export function createScannedCardReader(pool: Pool): ReadScannedCard {
  return createBatch(
    async (scans: readonly Scan[], org) => {
      const barcodes = scans.map(({ barcode }) => barcode)
      const cards = await listCardsByBarcode(tenantOf(pool, org), barcodes)
      return barcodes.map((barcode) => cards.get(barcode))
    },
    { orgOf: ({ org }) => org, ...lookupLimits(pool) },
  )
}

/** Runs a request with the card of its barcode; again if that card was replaced in the meantime. */
export async function withScannedCard<T>(
  readCard: ReadScannedCard,
  { organization }: Caller,
  request: BasketRequest & { readonly barcode: string },
  run: (request: BasketRequest) => Promise<T>,
): Promise<T> {
  const scan = { org: organization.orgId, barcode: request.barcode }
  let scanned = await readCard(scan)
  while (scanned) {
    try {
      return await run({ ...request, ...scanned })
    } catch (error) {
      if (!(error instanceof Refused && error.code === 'card_not_active')) throw error
      const newest = await readCard(scan)
      if (newest?.card === scanned.card) throw error
      scanned = newest
    }
  }
  throw new Refused(
    'card_not_found',
    'No card has this barcode. Scan it again, or find the customer by phone or email and send customer and card.',
  )
}
