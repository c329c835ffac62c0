/** The card whose wallet page may be shown to its customer: neither is blocked, and its URL was not revoked. */
import { type Card, cardStatus, customerStatus } from '../../domain/customer.ts'
import type { CardId } from '../../domain/ids.ts'
import { Refused } from '../../domain/refusal.ts'
import { findCard, findReplacement } from '../../store/cards.ts'
import type { Tenant } from '../../store/tenant.ts'

export async function showWallet(tenant: Tenant, card: Card): Promise<Card> {
  const found = await findReplacement(tenant, card.id, card.walletVersion)
  if (found?.customerStatus === customerStatus.blocked) throw new Refused('customer_not_active')
  if (card.status !== cardStatus.active) throw new Refused('card_not_active')
  if (card.walletVersion === 0) throw new Refused('wallet_revoked')
  return card
}

/** Undefined if it may not be shown: a receipt is printed all the same. */
export async function findShownWallet(tenant: Tenant, id: CardId): Promise<Card | undefined> {
  const card = await findCard(tenant, id)
  try {
    return card && (await showWallet(tenant, card))
  } catch (error) {
    if (error instanceof Refused) return undefined
    throw error
  }
}
