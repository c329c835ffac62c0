/** Blocking, unblocking and replacing a card, and the address of its wallet page. Each holds the customer's wallet lock, so no basket slips in between. */
import { randomInt } from 'node:crypto'
import { type Card, cardStatus, firstWalletVersion } from '../../domain/customer.ts'
import type { CardId } from '../../domain/ids.ts'
import { Refused } from '../../domain/refusal.ts'
import { findCard, insertCard, updateCardStatus, updateWalletPageVersion } from '../../store/cards.ts'
import { insertEvents } from '../../store/events.ts'
import { newId } from '../../store/new-id.ts'
import type { Tenant } from '../../store/tenant.ts'
import { updateWalletVersion } from '../../store/wallets/write.ts'
import { newBarcode } from './register-customer.ts'

export async function getCard(tenant: Tenant, id: CardId | undefined): Promise<Card> {
  const card = id && (await findCard(tenant, id))
  if (!card) throw new Refused('card_not_found', undefined, 'path')
  return card
}

/** The card as it is once its wallet is locked; a card of an erased customer is gone. */
async function lockCard(tenant: Tenant, id: CardId | undefined): Promise<Card> {
  const { customer } = await getCard(tenant, id)
  if (!(await updateWalletVersion(tenant, customer))) throw new Refused('card_not_found', undefined, 'path')
  return getCard(tenant, id)
}

export async function setCardBlocked(
  tenant: Tenant,
  id: CardId | undefined,
  isBlocked: boolean,
  now: Date,
): Promise<Card> {
  const card = await lockCard(tenant, id)
  if (card.status === cardStatus.replaced) throw new Refused('card_not_active')
  const status = isBlocked ? cardStatus.blocked : cardStatus.active
  if (card.status !== status) await updateCardStatus(tenant, card.id, status, now)
  return { ...card, status }
}

/** A new card with a barcode of its own; the old one is kept, with status "replaced", and can no longer be used. */
export async function replaceCard(tenant: Tenant, id: CardId | undefined, now: Date): Promise<Card> {
  const old = await lockCard(tenant, id)
  if (old.status === cardStatus.replaced) throw new Refused('card_not_active')
  const card: Card = {
    ...old,
    id: newId('card', now),
    barcode: newBarcode(),
    status: cardStatus.active,
    // Revoked stays revoked.
    walletVersion: old.walletVersion === 0 ? 0 : firstWalletVersion,
    createdAt: now,
  }
  await updateCardStatus(tenant, old.id, cardStatus.replaced, now, card.id)
  await insertCard(tenant, card)
  await insertEvents(
    tenant,
    [{ type: 'card.replaced', data: { customer: old.customer, card: card.id, replaced: old.id } }],
    now,
  )
  return card
}

/** A new address; the old one, and those of cards it has replaced, lead nowhere from now on. */
export async function renewWallet(tenant: Tenant, id: CardId | undefined, now: Date): Promise<Card> {
  // At random and not the next: after a revocation nobody would know which ones there have been.
  return setWalletVersion(tenant, id, randomInt(firstWalletVersion + 1, maxWalletVersion), now)
}

/** No address at all, until it is renewed. */
export async function revokeWallet(tenant: Tenant, id: CardId | undefined, now: Date): Promise<Card> {
  return setWalletVersion(tenant, id, 0, now)
}

const maxWalletVersion = 2 ** 31 - 1

async function setWalletVersion(
  tenant: Tenant,
  id: CardId | undefined,
  walletVersion: number,
  now: Date,
): Promise<Card> {
  const card = await lockCard(tenant, id)
  if (card.status === cardStatus.replaced) throw new Refused('card_not_active')
  await updateWalletPageVersion(tenant, card, walletVersion, now)
  return { ...card, walletVersion }
}
