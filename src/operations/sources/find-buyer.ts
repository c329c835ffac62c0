/** Finds the card that a sale is for: that of a known customer, or of one who is registered with it. */
import type { Who } from '../../adapters/made.ts'
import { type CustomerView, customerEmail, isLive, newestOf, type Profile } from '../../domain/customer.ts'
import type { CardId, CustomerId } from '../../domain/ids.ts'
import type { Organization } from '../../domain/organization.ts'
import { normalizePhone } from '../../domain/phone.ts'
import type { ReceivedProblemCode, Source } from '../../domain/source.ts'
import { listCardsByBarcode } from '../../store/cards.ts'
import { findCustomerView } from '../../store/customers.ts'
import { ask } from '../../store/question.ts'
import { takenFields } from '../../store/taken-fields.ts'
import { type Tenant, tenantOf } from '../../store/tenant.ts'
import { registerCustomer } from '../customers/register-customer.ts'
import type { Caller, Deps } from '../deps.ts'
import { timeOf } from '../organizations/time-of.ts'
import { runWrite } from '../transact.ts'

export interface Buyer {
  readonly customer: CustomerId
  readonly card: CardId
  /** When the card was opened, if it was for this sale. */
  readonly registeredAt?: Date
}

export type BuyerFound = Buyer | { readonly problem: ReceivedProblemCode; readonly customer?: CustomerId }

export type BuyersSource = Pick<Source, 'campaign' | 'registersCustomers'> & { readonly receivedAt: Date }

export async function findBuyer(
  deps: Deps,
  caller: Caller,
  source: BuyersSource,
  who: Who,
): Promise<BuyerFound> {
  const { organization } = caller
  const tenant = tenantOf(deps.pool, organization.orgId)
  const scanned = who.barcode && (await listCardsByBarcode(tenant, [who.barcode])).get(who.barcode)
  if (scanned) return scanned
  const profile = profileOf(who, organization)
  const id = await findByProfile(tenant, profile)
  if (!id) {
    if (!mayRegister(source, profile)) return { problem: 'not_a_customer' }
    return register(deps, caller, source.campaign, { profile })
  }
  const view = await findCustomerView(tenant, id, timeOf(deps, organization))
  if (!view) return { problem: 'not_a_customer' }
  const found = cardOf(view, source)
  if (found !== 'no_card') return typeof found === 'string' ? { problem: found, customer: id } : found
  if (!source.registersCustomers || !source.campaign) return { problem: 'no_card', customer: id }
  return register(deps, caller, source.campaign, { id })
}

/** Without what is not valid: a shop may have taken anything for a phone number. */
function profileOf({ opaqueId, email, phone, fullname }: Who, { country }: Organization): Profile {
  return {
    opaqueId,
    email: email !== undefined && customerEmail.test(email) ? email.trim().normalize('NFC') : undefined,
    phone: phone === undefined ? undefined : normalizePhone(phone, country),
    fullname,
  }
}

/** The ID of the other system first: an address may have been given to somebody else. */
async function findByProfile(tenant: Tenant, profile: Profile): Promise<CustomerId | undefined> {
  const { opaqueId, email, phone } = profile
  if (opaqueId === undefined && email === undefined && phone === undefined) return undefined
  const { owners } = await ask(tenant, { owners: takenFields(tenant, profile) })
  const ownerBy = (field: string) => owners.find((owner) => owner.field === field)?.customer
  return ownerBy('opaqueId') ?? ownerBy('email') ?? ownerBy('phone')
}

function cardOf(
  { customer, cards }: Pick<CustomerView, 'cards'> & { readonly customer: { readonly id: CustomerId } },
  { campaign, registersCustomers, receivedAt }: BuyersSource,
): Buyer | 'no_card' | 'several_cards' {
  const usable = cards.filter(isLive)
  const [first, second] = campaign ? usable.filter((card) => card.campaign === campaign) : usable
  if (!first) return 'no_card'
  if (second) return 'several_cards'
  // By an earlier attempt, for this sale.
  const isNew = registersCustomers && first.createdAt >= receivedAt
  return {
    customer: customer.id,
    card: newestOf(first, cards).id,
    registeredAt: isNew ? first.createdAt : undefined,
  }
}

/** A name alone is nobody who could be found again. */
const mayRegister = (
  { registersCustomers, campaign }: Pick<Source, 'registersCustomers' | 'campaign'>,
  { opaqueId, email, phone }: Profile,
) =>
  registersCustomers &&
  campaign !== undefined &&
  (opaqueId !== undefined || email !== undefined || phone !== undefined)

async function register(
  deps: Deps,
  caller: Caller,
  campaign: string | undefined,
  customer: { readonly id: CustomerId } | { readonly profile: Profile },
): Promise<Buyer> {
  const write = registerCustomer(deps, { campaign: campaign ?? '', customer }, caller)
  const view = await runWrite(deps.pool, caller.organization.orgId, write)
  const [card] = view.cards
  return { customer: view.customer.id, card: card!.id, registeredAt: card!.createdAt }
}
