/** Staff has looked at who enrolled: unblocking the card approves it, and its link goes to the customer. */
import type { Card } from '../../domain/customer.ts'
import type { CardId } from '../../domain/ids.ts'
import { Refused } from '../../domain/refusal.ts'
import type { Tenant } from '../../store/tenant.ts'
import type { Staff } from '../actor.ts'
import { setCardBlocked } from '../customers/change-card.ts'
import { sendCardLink } from '../messages/order-messages.ts'
import type { Seal } from '../seal.ts'

export async function unblockCard(
  tenant: Tenant,
  seal: Seal,
  id: CardId | undefined,
  by: Staff,
  now: Date,
): Promise<Card> {
  // As it was under the lock: of two requests at once, one approves.
  const card = await setCardBlocked(tenant, id, false, by, now)
  if (card.awaitsApproval) await tellCustomer(tenant, seal, card, now)
  return { ...card, awaitsApproval: false }
}

/** Nobody has to be told who cannot be reached: the wallet page says it as well. */
async function tellCustomer(tenant: Tenant, seal: Seal, { id }: Card, now: Date): Promise<void> {
  try {
    await sendCardLink(tenant, seal, { card: id }, now)
  } catch (error) {
    if (!(error instanceof Refused)) throw error
  }
}
