/**
 * Codes that show that an address is the customer's. The link of a card is on receipts and may be seen by others, so
 * a customer who wants to change something needs a code as well, which goes to the address that we know.
 */
import { randomInt, timingSafeEqual } from 'node:crypto'
import {
  type CodeKey,
  type ContactCode,
  codeCost,
  codePauseMs,
  codeValidMs,
  maxCodeFailures,
} from '../../domain/contact-code.ts'
import { type Customer, type CustomerView, customerStatus, emailKey } from '../../domain/customer.ts'
import type { CustomerId } from '../../domain/ids.ts'
import type { Channel, CodePurpose } from '../../domain/message.ts'
import { Refused } from '../../domain/refusal.ts'
import {
  deleteContactCode,
  findContactCode,
  updateCodeFailures,
  upsertContactCode,
} from '../../store/contact-codes.ts'
import { findCustomerView, lockCustomer, updateProfile } from '../../store/customers.ts'
import { insertEvents } from '../../store/events.ts'
import { ask } from '../../store/question.ts'
import { findSender } from '../../store/senders.ts'
import { takenFields } from '../../store/taken-fields.ts'
import { inTransaction, type Tenant, tenantOf } from '../../store/tenant.ts'
import { takeShared } from '../auth/shared-limit.ts'
import type { Deps } from '../deps.ts'
import { addressIn } from '../messages/compose.ts'
import { orderMessage } from '../messages/order-messages.ts'
import { timeIn } from '../organizations/time-of.ts'
import { refuseOnConstraint } from '../refuse-on-constraint.ts'
import { changeWallet } from '../wallets/change-wallet.ts'
import { eraseUnused } from './change-customer.ts'
import { takenConstraints } from './customer-profile.ts'

export interface CodeRequest extends CodeKey {
  /**
   * A new address to confirm, as it is stored. Without it, that of the last request for the purpose `contact`, or
   * for others that which the customer has.
   */
  readonly address?: string
}

export interface SentCode {
  readonly address: string
  readonly expiresAt: Date
}

/** Whether codes can be sent on a channel at all. */
export const canSendCodes = async (tenant: Tenant, channel: Channel): Promise<boolean> =>
  (await findSender(tenant, channel)) !== undefined

export async function sendCode(deps: Deps, org: number, request: CodeRequest): Promise<SentCode> {
  const now = deps.clock()
  const { customer, earlier, address } = await prepare(tenantOf(deps.pool, org), request)
  const waitMs = earlier ? earlier.sentAt.getTime() + codePauseMs - now.getTime() : 0
  if (waitMs > 0) throw tooManyCodes(Math.ceil(waitMs / 1_000))
  const name = request.channel === 'email' ? emailKey(address) : address
  const limited = deps.credentials.hash(`codes to ${org} ${request.channel} ${name}`)
  const wait = await takeShared(deps.pool, limited, codeCost, now)
  if (wait !== undefined) throw tooManyCodes(wait)
  const code = newCode()
  const expiresAt = new Date(now.getTime() + codeValidMs)
  const { channel, purpose } = request
  await inTransaction(deps.pool, org, async (tenant) => {
    if (!(await lockCustomer(tenant, customer.id))) throw new Refused('customer_not_found')
    const hash = hashOf(deps, org, request, code)
    await upsertContactCode(tenant, { ...request, address, hash, sentAt: now, expiresAt })
    const secret = JSON.stringify({ code, to: address })
    const data = { purpose }
    await orderMessage(
      tenant,
      deps.seal,
      { kind: 'verification_code', channel, customer: customer.id, data, secret },
      now,
    )
  })
  return { address, expiresAt }
}

async function prepare(tenant: Tenant, request: CodeRequest) {
  const { channel, purpose } = request
  const customer = (await findCustomerView(tenant, request.customer, new Date(0)))?.customer
  if (!customer) throw new Refused('customer_not_found')
  if (customer.status !== customerStatus.active) throw new Refused('customer_not_active')
  if (!(await canSendCodes(tenant, channel))) throw new Refused('sender_not_found')
  const earlier = await findContactCode(tenant, request)
  const address = purpose === 'contact' ? (request.address ?? earlier?.address) : addressIn(customer, channel)
  if (address === undefined) throw new Refused('customer_not_reachable')
  return { customer, earlier, address }
}

const newCode = () => String(randomInt(1_000_000)).padStart(6, '0')

const tooManyCodes = (seconds: number) =>
  new Refused('_too_many_requests', 'A code was sent to this address a short while ago.').after(seconds)

/** With what it is for, so that a stolen table of hashes cannot be searched for a code. */
const hashOf = ({ credentials }: Deps, org: number, { customer, channel, purpose }: CodeKey, code: string) =>
  credentials.hash(`code ${org} ${customer} ${channel} ${purpose} ${code}`)

export interface CodeAnswer extends CodeKey {
  readonly code: string
}

/**
 * Uses a code from an address that the customer has, which is verified by that. Throws if it is wrong or too old, or
 * if the customer has another address by now.
 */
export async function acceptCode(
  deps: Deps,
  org: number,
  answer: CodeAnswer & { readonly purpose: Exclude<CodePurpose, 'contact'> },
): Promise<void> {
  const found = await checkCode(deps, org, answer)
  await inTransaction(deps.pool, org, async (tenant) => {
    const now = await timeIn(deps, tenant)
    const customer = await takeCode(tenant, answer, found)
    if (addressIn(customer, answer.channel) !== found.address) throw new Refused('code_expired')
    await markVerified(tenant, customer, answer.channel, now)
  })
}

export type ConfirmedContact =
  | { readonly kind: 'attached' }
  /** The address belongs to another customer, who is the same person: the code came back from it. */
  | {
      readonly kind: 'known'
      readonly view: Pick<CustomerView, 'customer' | 'cards'>
      /** Whether the customer who named it has no address at all, so was only just enrolled. */
      readonly isNew: boolean
    }

/** Uses a code from an address that the customer does not have yet, and gives it to them unless somebody has it. */
export async function confirmContact(
  deps: Deps,
  org: number,
  key: Omit<CodeAnswer, 'purpose'>,
): Promise<ConfirmedContact> {
  const answer: CodeAnswer = { ...key, purpose: 'contact' }
  const found = await checkCode(deps, org, answer)
  const confirmed = await inTransaction(deps.pool, org, (tenant) => attach(deps, tenant, answer, found))
  if (confirmed.kind === 'known' && confirmed.isNew) {
    await changeWallet(deps, org, eraseUnused(key.customer))
  }
  return confirmed
}

async function attach(
  deps: Deps,
  tenant: Tenant,
  answer: CodeAnswer,
  found: ContactCode,
): Promise<ConfirmedContact> {
  const now = await timeIn(deps, tenant)
  const before = await takeCode(tenant, answer, found)
  const field = answer.channel === 'email' ? 'email' : 'phone'
  const { taken } = await ask(tenant, { taken: takenFields(tenant, { [field]: found.address }, before.id) })
  const owner = taken[0] && (await findCustomerView(tenant, taken[0].customer, now))
  if (owner) {
    const isNew = before.email === undefined && before.phone === undefined
    return { kind: 'known', view: owner, isNew }
  }
  const profile = { ...before, [field]: found.address, [`${field}VerifiedAt`]: now }
  await refuseOnConstraint(takenConstraints, () => updateProfile(tenant, before.id, profile, now))
  await recordChange(tenant, before.id, [`data.${field}`], now)
  return { kind: 'attached' }
}

/** The attempt counts before it is compared, and whatever becomes of it, so that nobody can try more than a few. */
async function checkCode(deps: Deps, org: number, answer: CodeAnswer): Promise<ContactCode> {
  const found = await updateCodeFailures(tenantOf(deps.pool, org), answer, maxCodeFailures)
  if (!found || found.expiresAt <= deps.clock()) throw new Refused('code_expired')
  if (!timingSafeEqual(found.hash, hashOf(deps, org, answer, answer.code))) throw new Refused('invalid_code')
  return found
}

/** Of two requests with the same code, one gets it. */
async function takeCode(tenant: Tenant, answer: CodeAnswer, { hash }: ContactCode): Promise<Customer> {
  const customer = await lockCustomer(tenant, answer.customer)
  if (!customer) throw new Refused('customer_not_found')
  if (!(await deleteContactCode(tenant, answer, hash))) throw new Refused('code_expired')
  return customer
}

async function markVerified(tenant: Tenant, customer: Customer, channel: Channel, now: Date): Promise<void> {
  const field = channel === 'email' ? 'emailVerifiedAt' : 'phoneVerifiedAt'
  if (customer[field] !== undefined) return
  await updateProfile(tenant, customer.id, { ...customer, [field]: now }, now)
  await recordChange(tenant, customer.id, ['verified'], now)
}

const recordChange = (tenant: Tenant, customer: CustomerId, changed: readonly string[], now: Date) =>
  insertEvents(
    tenant,
    [{ type: 'customer.changed', data: { customer, changed, by: { kind: 'customer' } } }],
    now,
  )
