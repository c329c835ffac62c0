/** Creates a customer without a card: profile and wallet, no balances yet. */
import { recordConsents } from '../../domain/consents.ts'
import { type Customer, type CustomerView, customerStatus, type Profile } from '../../domain/customer.ts'
import type { Organization } from '../../domain/organization.ts'
import { Refused } from '../../domain/refusal.ts'
import { insertCustomer } from '../../store/customers.ts'
import { newId } from '../../store/new-id.ts'
import { ask, type Question } from '../../store/question.ts'
import { setupState } from '../../store/setup.ts'
import { type TakenField, takenFields } from '../../store/taken-fields.ts'
import type { Tenant } from '../../store/tenant.ts'
import { byOf } from '../actor.ts'
import { checkRemembered } from '../auth/check-remembered.ts'
import type { Caller, Deps } from '../deps.ts'
import { timeOf } from '../organizations/time-of.ts'
import { recordFacts } from '../record-facts.ts'
import type { Write } from '../transact.ts'
import { consentFacts, consentsTold } from './consent-facts.ts'
import {
  hasUniqueField,
  type ProfileInput,
  refuseTaken,
  takenConstraints,
  toProfile,
} from './customer-profile.ts'
import { withCampaigns } from './customer-view.ts'

/** Who registers customers; the demo's history has no token, because no request was made. */
export type Registrar = Pick<Caller, 'organization' | 'kind' | 'user' | 'token' | 'isRemembered'>

export function createCustomer(
  deps: Deps,
  input: ProfileInput,
  by: Registrar,
): Write<ReturnType<typeof createCustomerQuestions>, CustomerView> {
  return {
    questions: (tenant) => createCustomerQuestions(tenant, input, by),
    async work(tenant, answers) {
      const now = timeOf(deps, by.organization)
      const setup = await deps.setupCache.get(tenant, answers.setup.version)
      checkRemembered(setup, by, now)
      const { organization, live } = setup
      const customer = await insertNew(tenant, organization, input, by, now, answers.taken)
      const held = { customer, cards: [], balances: [], coupons: [], expiring: [] }
      return withCampaigns(held, live, now, organization.timezone)
    },
    constraints: takenConstraints,
  }
}

const createCustomerQuestions = (tenant: Tenant, input: ProfileInput, by: Registrar) => ({
  taken: takenBy(tenant, input, by.organization),
  setup: setupState(tenant, []),
})

export interface TakenBy {
  /** The profile that was asked about. */
  readonly profile: Profile
  readonly fields: readonly TakenField[]
}

/** Who has what must be unique; undefined if there is nothing of that kind, or if the profile is refused. */
export function takenBy(
  tenant: Tenant,
  input: ProfileInput,
  organization: Organization,
): Question<TakenBy> | undefined {
  const profile = profileOrRefusal(input, organization)
  if (profile instanceof Refused || !hasUniqueField(profile)) return undefined
  const { steps, read } = takenFields(tenant, profile)
  return { steps, read: (rows) => ({ profile, fields: read(rows) }) }
}

function profileOrRefusal(input: ProfileInput, organization: Organization): Profile | Refused {
  try {
    return toProfile(input, organization)
  } catch (error) {
    if (error instanceof Refused) return error
    throw error
  }
}

/** Leaves the customer to be written when the transaction commits. */
export async function insertNew(
  tenant: Tenant,
  organization: Organization,
  input: ProfileInput,
  by: Registrar,
  now: Date,
  taken: TakenBy | undefined,
): Promise<Customer> {
  const profile = toProfile(input, organization)
  // The country of a cached organization may have changed, and with it what the phone number means.
  const isCurrent = taken ? taken.profile.phone === profile.phone : !hasUniqueField(profile)
  const { fields } = isCurrent
    ? { fields: taken?.fields }
    : await ask(tenant, { fields: takenFields(tenant, profile) })
  refuseTaken(fields ?? [])
  const told = await consentsTold(tenant, by.kind, profile.consents, now)
  const customer: Customer = {
    ...profile,
    consentHistory: recordConsents([], undefined, profile.consents, told),
    id: newId('cus', now),
    status: customerStatus.active,
    createdAt: now,
    updatedAt: now,
  }
  await tenant.db.pipeAtCommit(insertCustomer(tenant, customer))
  await recordFacts(
    tenant,
    organization,
    [
      { type: 'customer.created', data: { customer: customer.id, by: byOf(by) } },
      ...consentFacts(customer.id, undefined, profile.consents, by),
    ],
    now,
  )
  return customer
}
