/**
 * Registers a customer into a campaign: opens a card with a barcode, and the campaign's balances, at 0 if
 * they are missing. Registering again returns the existing card. Everything happens in one database
 * transaction and two round trips: what has to be known, and everything that is written.
 */
import {
  type Card,
  type CustomerView,
  cardStatus,
  customerStatus,
  firstWalletVersion,
  isLive,
} from '../../domain/customer.ts'
import { type CustomerId, parseId } from '../../domain/ids.ts'
import { Refused } from '../../domain/refusal.ts'
import { hasEnded } from '../../engine/rules/rule-conditions.ts'
import { insertCard } from '../../store/cards.ts'
import { customersByKey, type LoadedView } from '../../store/customers.ts'
import { newId } from '../../store/new-id.ts'
import { type Answers, together } from '../../store/question.ts'
import { setupState } from '../../store/setup.ts'
import type { Tenant } from '../../store/tenant.ts'
import { insertMissingBalances, lockedWallet } from '../../store/wallets/write.ts'
import { byOf } from '../actor.ts'
import { checkRemembered } from '../auth/check-remembered.ts'
import type { LiveCampaign } from '../campaigns/published-campaigns.ts'
import type { Deps } from '../deps.ts'
import type { Setup } from '../organizations/setup-cache.ts'
import { timeOf } from '../organizations/time-of.ts'
import { recordFacts } from '../record-facts.ts'
import type { Write } from '../transact.ts'
import { insertNew, type Registrar, takenBy } from './create-customer.ts'
import { type ProfileInput, takenConstraints } from './customer-profile.ts'
import { withCampaigns } from './customer-view.ts'
import { newBarcode } from './new-barcode.ts'

export interface Registration {
  readonly campaign: string
  /** An existing customer by ID, or the profile of a new one. */
  readonly customer: { readonly id: string } | { readonly profile: ProfileInput }
}

/** The result is the customer with only the card of this registration. */
export function registerCustomer(
  deps: Deps,
  registration: Registration,
  by: Registrar,
): Write<RegistrationQuestions, CustomerView> {
  return {
    questions: (tenant) => questionsOf(tenant, registration, by, timeOf(deps, by.organization)),
    async work(tenant, answers) {
      const now = timeOf(deps, by.organization)
      const setup = await deps.setupCache.get(tenant, answers.setup.version)
      checkRemembered(setup, by, now)
      const { organization, live } = setup
      const campaign = openCampaign(setup, registration.campaign, now)
      const held =
        'id' in registration.customer
          ? existing(answers)
          : noneYet(
              await insertNew(tenant, organization, registration.customer.profile, by, now, answers.taken),
            )
      const known = held.cards.find((card) => isLive(card) && card.campaign === campaign.id)
      const joined = known
        ? { ...held, cards: [known] }
        : await openCard(tenant, { held, setup, campaign, by: byOf(by), now })
      return withCampaigns(joined, live, now, organization.timezone)
    },
    constraints: takenConstraints,
  }
}

/**
 * An existing customer is locked, so that two concurrent registrations open one card; the view is queried
 * under that lock.
 */
function questionsOf(tenant: Tenant, { customer }: Registration, by: Registrar, now: Date) {
  const id = 'id' in customer ? parseId('cus', customer.id) : undefined
  return {
    existing:
      id && together({ isThere: lockedWallet(tenant, id), views: customersByKey(tenant, 'id', [id], now) }),
    taken: 'profile' in customer ? takenBy(tenant, customer.profile, by.organization) : undefined,
    setup: setupState(tenant, []),
  }
}

type RegistrationQuestions = ReturnType<typeof questionsOf>

/** The campaign must be published and must not have ended. */
export function openCampaign({ live, organization }: Setup, text: string, now: Date): LiveCampaign {
  const id = parseId('cmp', text)
  const campaign = live.find((each) => each.id === id)
  if (campaign?.status !== 'published') throw new Refused('invalid_campaign')
  if (hasEnded(campaign.compiled, now, organization.timezone)) {
    throw new Refused('invalid_campaign', 'The campaign has ended.')
  }
  return campaign
}

function existing({ existing: found }: Answers<RegistrationQuestions>): LoadedView {
  const view = found?.views[0]
  if (!found?.isThere || !view) throw new Refused('customer_not_found')
  return view
}

export const noneYet = (customer: LoadedView['customer']): LoadedView => ({
  customer,
  cards: [],
  balances: [],
  coupons: [],
  expiring: [],
})

export interface Opening {
  readonly held: LoadedView
  readonly setup: Setup
  readonly campaign: LiveCampaign
  /** The actor of the event. */
  readonly by: object
  /** Opened as blocked, until somebody approves it. */
  readonly awaitsApproval?: boolean
  readonly now: Date
}

/** Leaves the card and its balances to be written when the transaction commits. */
export async function openCard(tenant: Tenant, opening: Opening): Promise<LoadedView> {
  const { held, setup, campaign, by, now } = opening
  const { id: customer, status } = held.customer
  if (status !== customerStatus.active) throw new Refused('customer_not_active')
  const card = newCard(customer, opening)
  const keys = campaign.compiled.balances.map((balance) => balance.key)
  await tenant.db.pipeAtCommit([insertCard(tenant, card), insertMissingBalances(tenant, customer, keys)])
  const data = { customer, card: card.id, campaign: campaign.id, by }
  await recordFacts(tenant, setup.organization, [{ type: 'customer.registered', data }], now)
  const missing = keys.filter((key) => !held.balances.some((balance) => balance.key === key))
  const opened = missing.map((key) => ({ key, value: 0, total: 0, decimals: setup.decimals.get(key) ?? 0 }))
  const balances = [...held.balances, ...opened].sort((a, b) => (a.key < b.key ? -1 : 1))
  return { ...held, balances, cards: [card] }
}

function newCard(customer: CustomerId, { campaign, awaitsApproval = false, now }: Opening): Card {
  return {
    id: newId('card', now),
    customer,
    campaign: campaign.id,
    campaignName: campaign.name,
    barcode: newBarcode(),
    status: awaitsApproval ? cardStatus.blocked : cardStatus.active,
    awaitsApproval,
    walletVersion: firstWalletVersion,
    createdAt: now,
  }
}
