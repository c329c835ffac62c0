/**
 * A customer enrolls alone. What happens, and how long it takes, is the same whether the address is known or not:
 * there is always a new customer with a new card. An address counts only once a code has come back from it; until
 * then it is kept as a claim. Where no code can be sent, it is kept if nobody has it.
 */
import { constraintOf } from '../../database/classify-error.ts'
import { recordConsents } from '../../domain/consents.ts'
import { type Card, type Customer, customerStatus, type Profile } from '../../domain/customer.ts'
import type { CustomerId } from '../../domain/ids.ts'
import type { Language } from '../../domain/language.ts'
import { type Channel, marketingPurpose } from '../../domain/message.ts'
import { Refused } from '../../domain/refusal.ts'
import { findContactCode } from '../../store/contact-codes.ts'
import { findCustomerView, insertCustomer } from '../../store/customers.ts'
import { ask } from '../../store/question.ts'
import { takenFields } from '../../store/taken-fields.ts'
import { inTransaction, type Tenant } from '../../store/tenant.ts'
import { sendCode } from '../customers/contact-codes.ts'
import { takenConstraints, toProfile } from '../customers/customer-profile.ts'
import { noneYet, openCard } from '../customers/register-customer.ts'
import type { Deps } from '../deps.ts'
import { timeOf } from '../organizations/time-of.ts'
import { recordFacts } from '../record-facts.ts'
import type { Proof } from './challenges.ts'
import { challengeOf, type OpenPage } from './open-page.ts'

export interface Applicant {
  readonly fullname: string
  /** One of both. */
  readonly email?: string
  readonly phone?: string
  readonly marketing?: boolean
  readonly language: Language
}

/** Returns the new card; for a request that is sent again, the card of the first. */
export async function enroll(
  deps: Deps,
  open: OpenPage,
  applicant: Applicant,
  proof: Proof,
  address: string,
): Promise<Card> {
  if (!open.isOpen) throw new Refused('enrollment_closed')
  const customer = deps.challenges.solved(challengeOf(open), proof, deps.clock())
  const profile = profileOf(open, applicant, timeOf(deps, open.organization))
  const channel: Channel = profile.email === undefined ? 'sms' : 'email'
  const isConfirmed = open.senders.includes(channel)
  // First, so that a retry is not refused.
  const card =
    (await findOpened(open.tenant, customer)) ??
    (await openNew(deps, open, { id: customer, profile, isConfirmed }, address))
  if (isConfirmed) await claim(deps, open, { customer, channel, address: profile.email ?? profile.phone! })
  return card
}

function profileOf({ organization, consent }: OpenPage, applicant: Applicant, now: Date): Profile {
  const { fullname, email, phone, marketing, language } = applicant
  const consents = marketing === undefined ? undefined : { [marketingPurpose]: marketing }
  const profile = toProfile({ fullname, email, phone, consents, language }, organization)
  if (profile.fullname === undefined) throw new Refused('_invalid_payload', 'fullname: must not be empty.')
  if ((profile.email === undefined) === (profile.phone === undefined))
    throw new Refused('_invalid_payload', 'Either email or phone must be given, and not both.')
  const wordings = { [marketingPurpose]: consent[language] }
  const told = { at: now, via: 'enrollment', wordings } as const
  return { ...profile, consentHistory: recordConsents([], undefined, consents, told) }
}

interface Newcomer {
  readonly id: CustomerId
  readonly profile: Profile
  /** Whether the address waits for a code. */
  readonly isConfirmed: boolean
}

async function openNew(deps: Deps, open: OpenPage, newcomer: Newcomer, address: string): Promise<Card> {
  const { shortName } = open.page
  const costsSms = newcomer.isConfirmed && newcomer.profile.phone !== undefined
  await deps.enrollmentLimits.take({ address, shortName, costsSms })
  try {
    return await insertNew(deps, open, newcomer, newcomer.isConfirmed)
  } catch (error) {
    const constraint = constraintOf(error) ?? ''
    // Somebody else has just got the address.
    if (takenConstraints[constraint]) return insertNew(deps, open, newcomer, true)
    // The same request, sent twice at once; or a customer who was erased since.
    if (constraint !== 'customers_pkey') throw error
    const opened = await findOpened(open.tenant, newcomer.id)
    if (opened) return opened
    throw new Refused('invalid_proof', 'The challenge was used before. Load the page again.')
  }
}

/** The statements are the same, whether or not the address is kept. */
async function insertNew(
  deps: Deps,
  { page, setup, campaign }: OpenPage,
  { id, profile }: Newcomer,
  isWithoutAddress: boolean,
): Promise<Card> {
  return inTransaction(deps.pool, page.org, async (tenant) => {
    const now = timeOf(deps, setup.organization)
    const { taken } = await ask(tenant, { taken: takenFields(tenant, profile) })
    const address = isWithoutAddress || taken.length > 0 ? { email: undefined, phone: undefined } : {}
    const times = { createdAt: now, updatedAt: now }
    const customer: Customer = { ...profile, ...address, id, status: customerStatus.active, ...times }
    await tenant.db.pipeAtCommit(insertCustomer(tenant, customer))
    const by = { kind: 'customer' }
    const facts = [
      { type: 'customer.created', data: { customer: id, by } },
      ...(profile.consents?.[marketingPurpose] === undefined
        ? []
        : [{ type: 'consent.changed', data: { customer: id, by } } as const]),
    ] as const
    await recordFacts(tenant, setup.organization, facts, now)
    const awaitsApproval = page.mode === 'approval'
    const opening = { held: noneYet(customer), setup, campaign, by, awaitsApproval, now }
    return (await openCard(tenant, opening)).cards[0]!
  })
}

async function findOpened(tenant: Tenant, customer: CustomerId): Promise<Card | undefined> {
  return (await findCustomerView(tenant, customer, new Date(0)))?.cards[0]
}

/** A refusal tells nothing: the address was perhaps written to a moment ago. The card is there all the same. */
async function claim(
  deps: Deps,
  { tenant, page }: OpenPage,
  { customer, channel, address }: { customer: CustomerId; channel: Channel; address: string },
): Promise<void> {
  const key = { customer, channel, purpose: 'contact' } as const
  if (await findContactCode(tenant, key)) return
  try {
    await sendCode(deps, page.org, { ...key, address })
  } catch (error) {
    if (!(error instanceof Refused)) throw error
  }
}
