/**
 * Blocks, unblocks and replaces a card, and manages the URL of its wallet page. Each holds the customer's
 * wallet lock, so that no basket is processed in between.
 */
import { randomInt } from 'node:crypto'
import { type Card, cardStatus, firstWalletVersion } from '../../domain/customer.ts'
import type { Fact } from '../../domain/event.ts'
import type { CardId } from '../../domain/ids.ts'
import { notFound, Refused } from '../../domain/refusal.ts'
import { findCard, insertCard, updateCardStatus, updateWalletPageVersion } from '../../store/cards.ts'
import { insertEvents } from '../../store/events.ts'
import { newId } from '../../store/new-id.ts'
import type { Tenant } from '../../store/tenant.ts'
import { updateWalletVersion } from '../../store/wallets/write.ts'
import { byOf, type Staff } from '../actor.ts'
import { newBarcode } from './new-barcode.ts'

export async function getCard(tenant: Tenant, id: CardId | undefined): Promise<Card> {
  const card = id && (await findCard(tenant, id))
  if (!card) throw notFound('card_not_found')
  return card
}

/** Reads the card after its wallet is locked; a card of an erased customer no longer exists. */
async function lockCard(tenant: Tenant, id: CardId | undefined): Promise<Card> {
  const { customer } = await getCard(tenant, id)
  if (!(await updateWalletVersion(tenant, customer))) throw notFound('card_not_found')
  return getCard(tenant, id)
}

export async function setCardBlocked(
  tenant: Tenant,
  id: CardId | undefined,
  isBlocked: boolean,
  by: Staff,
  now: Date,
): Promise<Card> {
  const card = await lockCard(tenant, id)
  if (card.status === cardStatus.replaced) throw new Refused('card_not_active')
  const status = isBlocked ? cardStatus.blocked : cardStatus.active
  if (card.status !== status) {
    await updateCardStatus(tenant, card.id, status, now)
    await insertEvents(tenant, [changedFact(card, 'status', by)], now)
  }
  return { ...card, status }
}

/** Passes on phones follow it. */
const changedFact = ({ customer, id: card }: Card, field: 'status' | 'walletUrl', by: Staff): Fact => ({
  type: 'card.changed',
  data: { customer, card, changed: [field], by: byOf(by) },
})

/** Opens a new card with its own barcode; the old one stays, with status "replaced", and cannot be used. */
export async function replaceCard(tenant: Tenant, id: CardId | undefined, now: Date): Promise<Card> {
  const old = await lockCard(tenant, id)
  if (old.status === cardStatus.replaced) throw new Refused('card_not_active')
  const card: Card = {
    ...old,
    id: newId('card', now),
    barcode: newBarcode(),
    status: old.awaitsApproval ? cardStatus.blocked : cardStatus.active,
    // A revoked wallet page stays revoked.
    walletVersion: old.walletVersion === 0 ? 0 : firstWalletVersion,
    createdAt: now,
  }
  await updateCardStatus(tenant, old.id, cardStatus.replaced, now, card.id)
  await tenant.db.pipeAtCommit([insertCard(tenant, card)])
  await insertEvents(
    tenant,
    [{ type: 'card.replaced', data: { customer: old.customer, card: card.id, replaced: old.id } }],
    now,
  )
  return card
}

/** Creates a new URL; the old one, and those of the cards it replaced, stop working. */
export async function renewWallet(
  tenant: Tenant,
  id: CardId | undefined,
  by: Staff,
  now: Date,
): Promise<Card> {
  // Random and not the next number: after a revocation the versions used before are not known.
  return setWalletVersion(tenant, id, randomInt(firstWalletVersion + 1, maxWalletVersion), by, now)
}

/** Revokes the URL until it is renewed. */
export async function revokeWallet(
  tenant: Tenant,
  id: CardId | undefined,
  by: Staff,
  now: Date,
): Promise<Card> {
  return setWalletVersion(tenant, id, 0, by, now)
}

const maxWalletVersion = 2 ** 31 - 1

async function setWalletVersion(
  tenant: Tenant,
  id: CardId | undefined,
  walletVersion: number,
  by: Staff,
  now: Date,
): Promise<Card> {
  const card = await lockCard(tenant, id)
  if (card.status === cardStatus.replaced) throw new Refused('card_not_active')
  await updateWalletPageVersion(tenant, card, walletVersion, now)
  await insertEvents(tenant, [changedFact(card, 'walletUrl', by)], now)
  return { ...card, walletVersion }
}
