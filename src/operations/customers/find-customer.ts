/**
 * Finds a customer by ID, by email in any case, by a card's barcode, or by phone number in any common format.
 */
import { type CustomerView, newestOf } from '../../domain/customer.ts'
import { type CardId, parseId } from '../../domain/ids.ts'
import { phoneCandidates } from '../../domain/phone.ts'
import { notFound } from '../../domain/refusal.ts'
import type { CustomerKeyKind } from '../../store/customers.ts'
import { checkRemembered } from '../auth/check-remembered.ts'
import type { Caller, Deps } from '../deps.ts'
import type { CustomerAnswer } from './customer-reader.ts'
import { withCampaigns } from './customer-view.ts'

export interface FoundCustomer extends CustomerView {
  /** The card to use, if the customer was found by a barcode: the scanned one or its newest replacement. */
  readonly matchedCard?: CardId
}

export async function findCustomer(deps: Deps, caller: Caller, query: string): Promise<FoundCustomer> {
  const text = query.trim()
  if (text.includes('@')) return viewOf(await read(deps, caller, 'email', text))
  if (/^\d+$/.test(text)) {
    const answer = await read(deps, caller, 'barcode', text)
    const scanned = answer.view?.cards.find(({ barcode }) => barcode === text)
    if (answer.view && scanned) {
      return { matchedCard: newestOf(scanned, answer.view.cards).id, ...viewOf(answer) }
    }
  }
  for (const phone of phoneCandidates(query, caller.organization.country)) {
    const answer = await read(deps, caller, 'phone', phone)
    if (answer.view) return viewOf(answer)
  }
  throw notFound('customer_not_found')
}

export async function getCustomer(deps: Deps, caller: Caller, id: string): Promise<CustomerView> {
  if (!parseId('cus', id)) throw notFound('customer_not_found')
  return viewOf(await read(deps, caller, 'id', id))
}

async function read(
  { readCustomer }: Deps,
  caller: Caller,
  kind: CustomerKeyKind,
  key: string,
): Promise<CustomerAnswer> {
  const { orgId, aheadMs } = caller.organization
  const answer = await readCustomer({ org: orgId, kind, key, aheadMs })
  checkRemembered(answer.setup, caller, answer.now)
  return answer
}

function viewOf({ view, setup, now }: CustomerAnswer): CustomerView {
  if (!view) throw notFound('customer_not_found')
  return withCampaigns(view, setup.live, now, setup.organization.timezone)
}
