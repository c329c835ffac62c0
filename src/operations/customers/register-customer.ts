/**
 * Registers a customer into a campaign: opens a card with a barcode, and the campaign's balances, at 0 if
 * they are missing. Registering again returns the existing card. Everything happens in one database
 * transaction, so a refusal leaves no customer behind.
 */
import { randomInt } from 'node:crypto'
import { barcodeDigits, checkDigit } from '../../domain/barcode.ts'
import {
  type Card,
  type CustomerView,
  cardStatus,
  customerStatus,
  firstWalletVersion,
} from '../../domain/customer.ts'
import { type CampaignId, type CustomerId, parseId } from '../../domain/ids.ts'
import type { Organization } from '../../domain/organization.ts'
import { Refused } from '../../domain/refusal.ts'
import { hasEnded } from '../../engine/rules/rule-conditions.ts'
import { findCampaign } from '../../store/campaigns.ts'
import { findLiveCard, insertCard } from '../../store/cards.ts'
import { findCustomerView } from '../../store/customers.ts'
import { newId } from '../../store/new-id.ts'
import type { Tenant } from '../../store/tenant.ts'
import { insertMissingBalances, updateWalletVersion } from '../../store/wallets/write.ts'
import { byOf, type Staff } from '../actor.ts'
import type { Deps } from '../deps.ts'
import { recordFacts } from '../record-facts.ts'
import { createCustomer } from './create-customer.ts'
import type { ProfileInput } from './customer-profile.ts'
import { usableNow } from './customer-view.ts'

export interface Registration {
  readonly campaign: string
  /** An existing customer by ID, or the profile of a new one. */
  readonly customer: { readonly id: string } | { readonly profile: ProfileInput }
}

/** The customer with only the card of this registration. */
export async function registerCustomer(
  deps: Deps,
  tenant: Tenant,
  organization: Organization,
  registration: Registration,
  by: Staff,
): Promise<CustomerView> {
  const now = deps.clock()
  const campaign = await getOpenCampaign(deps, tenant, organization, registration.campaign, now)
  const card =
    'id' in registration.customer
      ? await findOrOpenCard(tenant, organization, registration.customer.id, campaign, by, now)
      : await openFirstCard(tenant, organization, registration.customer.profile, campaign, by, now)
  const view = await findCustomerView(tenant, card.customer, now)
  return { ...(await usableNow(deps, tenant, organization, view!, now)), cards: [card] }
}

/** A customer that was just created has no card yet, so there is nothing to look up or lock. */
async function openFirstCard(
  tenant: Tenant,
  organization: Organization,
  profile: ProfileInput,
  campaign: OpenCampaign,
  by: Staff,
  now: Date,
): Promise<Card> {
  const { id } = await createCustomer(tenant, organization, profile, by, now)
  return openCard(tenant, organization, id, campaign, by, now)
}

async function findOrOpenCard(
  tenant: Tenant,
  organization: Organization,
  text: string,
  campaign: OpenCampaign,
  by: Staff,
  now: Date,
): Promise<Card> {
  const customer = await lockExisting(tenant, text)
  const card = await findLiveCard(tenant, customer, campaign.id)
  if (card) return card
  const view = await findCustomerView(tenant, customer, now)
  if (view?.customer.status !== customerStatus.active) throw new Refused('customer_not_active')
  return openCard(tenant, organization, customer, campaign, by, now)
}

interface OpenCampaign {
  readonly id: CampaignId
  readonly name: string
  readonly balanceKeys: readonly string[]
}

/** The campaign must be published and must not have ended. */
async function getOpenCampaign(
  deps: Deps,
  tenant: Tenant,
  organization: Organization,
  text: string,
  now: Date,
): Promise<OpenCampaign> {
  const id = parseId('cmp', text)
  const campaign = id && (await findCampaign(tenant, id))
  if (campaign?.status !== 'published') throw new Refused('invalid_campaign')
  const [published] = await deps.campaigns.get(tenant, organization, [campaign])
  if (!published || hasEnded(published, now, organization.timezone)) {
    throw new Refused('invalid_campaign', 'The campaign has ended.')
  }
  return {
    id: campaign.id,
    name: campaign.name,
    balanceKeys: published.balances.map((balance) => balance.key),
  }
}

/** Locks the customer, so that two concurrent registrations open one card. */
async function lockExisting(tenant: Tenant, text: string): Promise<CustomerId> {
  const id = parseId('cus', text)
  if (!id || !(await updateWalletVersion(tenant, id))) throw new Refused('customer_not_found')
  return id
}

async function openCard(
  tenant: Tenant,
  organization: Organization,
  customer: CustomerId,
  campaign: OpenCampaign,
  by: Staff,
  now: Date,
): Promise<Card> {
  const card: Card = {
    id: newId('card', now),
    customer,
    campaign: campaign.id,
    campaignName: campaign.name,
    barcode: newBarcode(),
    status: cardStatus.active,
    walletVersion: firstWalletVersion,
    createdAt: now,
  }
  await insertCard(tenant, card)
  await insertMissingBalances(tenant, customer, campaign.balanceKeys)
  await recordFacts(
    tenant,
    organization,
    [{ type: 'customer.registered', data: { customer, card: card.id, campaign: campaign.id, by: byOf(by) } }],
    now,
  )
  return card
}

/** Random, so that barcodes cannot be guessed; with fourteen free digits a collision is very unlikely. */
export function newBarcode(): string {
  let digits = '2'
  while (digits.length < barcodeDigits - 1) digits += randomInt(10)
  return digits + checkDigit(digits)
}
