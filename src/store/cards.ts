/** Cards. A customer has at most one live card (active or blocked) per campaign; the others are history. */
import { type Card, cardStatus } from '../domain/customer.ts'
import type { CampaignId, CardId, CustomerId, TransactionId } from '../domain/ids.ts'
import { texts } from './pg-arrays.ts'
import { type Question, question, type Step } from './question.ts'
import { idFrom, maybeOne, type Tenant, uuidOf } from './tenant.ts'
import { owner } from './wallets/load.ts'

/** Cards that can be used again: of a customer and campaign there is at most one. */
const live = `(${cardStatus.active}, ${cardStatus.blocked})`

export interface CardRow {
  id: string
  customer_id: string
  campaign_id: string
  campaign_name: string
  barcode: string
  status: number
  wallet_version: number
  replaced_by: string | null
  awaits_approval: boolean
  created_at: Date | string
}

export const cardColumns = `k.id, k.customer_id, k.campaign_id, m.name AS campaign_name, k.barcode, k.status,
  k.wallet_version, k.replaced_by, k.awaits_approval, k.created_at
  FROM cards k JOIN campaigns m ON m.org_id = k.org_id AND m.id = k.campaign_id`

export const toCard = (row: CardRow): Card => ({
  id: idFrom('card', row.id),
  customer: idFrom('cus', row.customer_id),
  campaign: idFrom('cmp', row.campaign_id),
  campaignName: row.campaign_name,
  barcode: row.barcode,
  status: row.status,
  walletVersion: row.wallet_version,
  awaitsApproval: row.awaits_approval,
  replacedBy: row.replaced_by === null ? undefined : idFrom('card', row.replaced_by),
  createdAt: new Date(row.created_at),
})

/** Closed cards belong to erased customers and are hidden from every reader. */
export async function findCard(tenant: Tenant, id: CardId): Promise<Card | undefined> {
  const row = await maybeOne<CardRow>(
    tenant.db,
    `SELECT ${cardColumns} WHERE k.org_id = $1 AND k.id = $2 AND k.status <> ${cardStatus.closed}`,
    [tenant.orgId, uuidOf(id)],
  )
  return row && toCard(row)
}

/** The campaigns of the live cards (active or blocked) of the sale's customer. */
export function cardCampaignsOfBuyer({ orgId }: Tenant, sale: TransactionId): Question<CampaignId[]> {
  return question(
    'load-buyer-cards',
    `SELECT campaign_id FROM cards WHERE org_id = $1::integer AND status IN ${live}
       AND customer_id = ${owner.txn}`,
    [String(orgId), uuidOf(sale)],
    (rows) => rows.map(([campaign]) => idFrom('cmp', campaign!)),
  )
}

export interface ScannedCard {
  readonly customer: CustomerId
  readonly card: CardId
}

const cardsByBarcode = `WITH RECURSIVE way AS (
      SELECT barcode AS scanned, id, customer_id, replaced_by FROM cards
      WHERE org_id = $1::integer AND barcode = ANY($2::text[]) AND status <> ${cardStatus.closed}
      UNION ALL
      SELECT way.scanned, k.id, k.customer_id, k.replaced_by
      FROM way JOIN cards k ON k.org_id = $1::integer AND k.id = way.replaced_by)
    SELECT scanned, id, customer_id FROM way WHERE replaced_by IS NULL`

/** By barcode: the card to use, which is the newest replacement of a replaced card. */
export async function listCardsByBarcode(
  tenant: Tenant,
  barcodes: readonly string[],
): Promise<Map<string, ScannedCard>> {
  const values = [String(tenant.orgId), texts([...new Set(barcodes)])]
  const [rows] = await tenant.db.read([{ name: 'cards-by-barcode', text: cardsByBarcode, values }])
  return new Map(
    rows!.map(([scanned, card, customer]) => [
      scanned!,
      { customer: idFrom('cus', customer!), card: idFrom('card', card!) },
    ]),
  )
}

export function insertCard({ orgId }: Tenant, card: Card): Step {
  return {
    name: 'write-card',
    text: `INSERT INTO cards (org_id, id, customer_id, campaign_id, barcode, status, wallet_version, awaits_approval,
             created_at, updated_at)
           VALUES ($1::integer, $2::uuid, $3::uuid, $4::uuid, $5::text, $6::smallint, $7::integer, $8::boolean,
             $9::timestamptz, $9::timestamptz)`,
    values: [
      String(orgId),
      uuidOf(card.id),
      uuidOf(card.customer),
      uuidOf(card.campaign),
      card.barcode,
      String(card.status),
      String(card.walletVersion),
      String(card.awaitsApproval ?? false),
      card.createdAt.toISOString(),
    ],
  }
}

/** A card that becomes active is approved by that. */
export async function updateCardStatus(
  tenant: Tenant,
  id: CardId,
  status: number,
  now: Date,
  replacedBy?: CardId,
): Promise<void> {
  await tenant.db.query(
    `UPDATE cards SET status = $3::smallint, replaced_by = $4, updated_at = $5,
       awaits_approval = awaits_approval AND $3::smallint <> ${cardStatus.active}
     WHERE org_id = $1 AND id = $2`,
    [tenant.orgId, uuidOf(id), status, replacedBy ? uuidOf(replacedBy) : null, now],
  )
}

/**
 * The card that a wallet page URL leads to: the one it was created for, or its replacement, however many
 * there were. None when a card along the way has a different URL now, or none any more.
 */
export async function findReplacement(
  tenant: Tenant,
  id: CardId,
  walletVersion: number,
): Promise<{ readonly card: Card; readonly customerStatus: number } | undefined> {
  const row = await maybeOne<CardRow & { customer_status: number }>(
    tenant.db,
    `WITH RECURSIVE way AS (
       SELECT id, replaced_by, 1 AS step FROM cards WHERE org_id = $1 AND id = $2 AND wallet_version = $3
       UNION ALL
       SELECT k.id, k.replaced_by, way.step + 1 FROM way JOIN cards k ON k.org_id = $1 AND k.id = way.replaced_by
       WHERE k.wallet_version > 0)
     SELECT c.status AS customer_status, ${cardColumns}
     JOIN way ON way.id = k.id AND way.replaced_by IS NULL
     JOIN customers c ON c.org_id = k.org_id AND c.id = k.customer_id
     WHERE k.org_id = $1`,
    [tenant.orgId, uuidOf(id), walletVersion],
  )
  return row && { card: toCard(row), customerStatus: row.customer_status }
}

/** The URLs of the cards it has replaced lead to it, and end together with its own. */
export async function updateWalletPageVersion(
  tenant: Tenant,
  card: Card,
  walletVersion: number,
  now: Date,
): Promise<void> {
  await tenant.db.query(
    `UPDATE cards SET wallet_version = CASE WHEN id = $2 THEN $3::integer ELSE 0 END, updated_at = $4
     WHERE org_id = $1 AND customer_id = $5 AND campaign_id = $6 AND (id = $2 OR status = ${cardStatus.replaced})`,
    [tenant.orgId, uuidOf(card.id), walletVersion, now, uuidOf(card.customer), uuidOf(card.campaign)],
  )
}
