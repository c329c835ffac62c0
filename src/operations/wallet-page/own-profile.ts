/**
 * What customers do about themselves on the wallet page. The link of a card only shows it: changes need a session,
 * which a code from the address on file opens, and a download and an erasure need a code of their own.
 */
import { consentWords } from '../../domain/consent-words.ts'
import { type Card, type Customer, cardStatus, customerStatus, isLive } from '../../domain/customer.ts'
import type { CustomerId } from '../../domain/ids.ts'
import type { Language } from '../../domain/language.ts'
import { type Channel, marketingPurpose } from '../../domain/message.ts'
import type { Organization, OrganizationContact } from '../../domain/organization.ts'
import { Refused } from '../../domain/refusal.ts'
import { findCustomerView } from '../../store/customers.ts'
import { findContact } from '../../store/organizations.ts'
import { inTransaction } from '../../store/tenant.ts'
import { updateWalletVersion } from '../../store/wallets/write.ts'
import { eraseCustomer, patchCustomer } from '../customers/change-customer.ts'
import { acceptCode, confirmContact, type SentCode, sendCode } from '../customers/contact-codes.ts'
import { toProfile } from '../customers/customer-profile.ts'
import { getCustomerView } from '../customers/customer-view.ts'
import { type CustomerExport, exportCustomer } from '../customers/export-customer.ts'
import { openCard } from '../customers/register-customer.ts'
import type { Deps } from '../deps.ts'
import type { Setup } from '../organizations/setup-cache.ts'
import { timeOf } from '../organizations/time-of.ts'
import { changeWallet } from '../wallets/change-wallet.ts'
import { enterWallet } from './open-wallet.ts'
import { listAddresses, type OwnAddresses } from './own-addresses.ts'
import { type WalletSession, walletSessionMs } from './wallet-sessions.ts'
import type { WalletKey } from './wallet-tokens.ts'

const noWallet = () =>
  new Refused('_not_found', 'There is no wallet at this address. Ask at the till for a new link.')

async function getWallet(deps: Deps, key: WalletKey) {
  const opened = await enterWallet(deps, key)
  if (!opened) throw noWallet()
  return opened
}

/** The wallet of the link, for the holder of a session that was opened for its customer. */
async function getOwn(deps: Deps, key: WalletKey, token: string | undefined) {
  const session = token === undefined ? undefined : deps.walletSessions.read(token, deps.clock())
  const opened = await getWallet(deps, key)
  if (session?.org !== key.org || session.customer !== opened.card.customer)
    throw new Refused('_unauthorized', 'Ask for a code first: the session is over, or is none of this card.')
  return { ...opened, session }
}

export type OwnPurpose = 'change' | 'download' | 'erase'

/** To the address on file. */
export async function sendOwnCode(
  deps: Deps,
  key: WalletKey,
  { channel, purpose }: { readonly channel: Channel; readonly purpose: OwnPurpose },
): Promise<SentCode> {
  const { card } = await getWallet(deps, key)
  return sendCode(deps, key.org, { customer: card.customer, channel, purpose })
}

/**
 * To an address that the customer names now, for which a session is needed, or has named before and not confirmed:
 * that one gets another code.
 */
export async function sendContactCode(
  deps: Deps,
  key: WalletKey,
  { channel, address: given }: { readonly channel: Channel; readonly address?: string },
  token: string | undefined,
): Promise<SentCode> {
  if (given === undefined) {
    const { card } = await getWallet(deps, key)
    return sendCode(deps, key.org, { customer: card.customer, channel, purpose: 'contact' })
  }
  const { card, setup } = await getOwn(deps, key, token)
  const { email, phone } = toProfile(
    channel === 'email' ? { email: given } : { phone: given },
    setup.organization,
  )
  const address = email ?? phone
  if (address === undefined) throw new Refused('_invalid_payload', 'address: must not be empty.')
  return sendCode(deps, key.org, { customer: card.customer, channel, purpose: 'contact', address })
}

export interface CodeFromCustomer {
  readonly channel: Channel
  readonly code: string
}

export async function openSession(
  deps: Deps,
  key: WalletKey,
  { channel, code }: CodeFromCustomer,
): Promise<{ readonly token: string; readonly session: WalletSession }> {
  const { card } = await getWallet(deps, key)
  await acceptCode(deps, key.org, { customer: card.customer, channel, purpose: 'change', code })
  const expiresAt = new Date(deps.clock().getTime() + walletSessionMs)
  const session = { org: key.org, customer: card.customer, expiresAt }
  return { token: deps.walletSessions.create(session), session }
}

/** The address is theirs now, or the card of the customer who has it already, if it can be shown. */
export interface Confirmed {
  readonly isAttached: boolean
  readonly card?: Card
}

export async function confirmOwnContact(
  deps: Deps,
  key: WalletKey,
  { channel, code }: CodeFromCustomer,
): Promise<Confirmed> {
  const { card, setup } = await getWallet(deps, key)
  const confirmed = await confirmContact(deps, key.org, { customer: card.customer, channel, code })
  if (confirmed.kind === 'attached') return { isAttached: true }
  const { id, status } = confirmed.view.customer
  if (status !== customerStatus.active) return { isAttached: false }
  return { isAttached: false, card: await findOrOpenCard(deps, setup, id, card, confirmed.isNew) }
}

/**
 * The card of a known customer to go on with: that of the campaign that they enrolled for, which is opened if they have
 * none, as it would have been for somebody new. Somebody who only changes an address has not enrolled.
 */
async function findOrOpenCard(
  deps: Deps,
  setup: Setup,
  customer: CustomerId,
  enrolled: Card,
  isNew: boolean,
): Promise<Card | undefined> {
  return inTransaction(deps.pool, setup.organization.orgId, async (tenant) => {
    const now = timeOf(deps, setup.organization)
    if (!(await updateWalletVersion(tenant, customer))) return undefined
    const held = await findCustomerView(tenant, customer, now)
    const usable = (held?.cards ?? []).filter(
      ({ status, walletVersion }) => status === cardStatus.active && walletVersion > 0,
    )
    const own = (held?.cards ?? []).find((card) => isLive(card) && card.campaign === enrolled.campaign)
    const campaign = setup.live.find(({ id }) => id === enrolled.campaign)
    if (!held || own || !isNew || campaign?.status !== 'published') {
      return usable.find(({ id }) => id === own?.id) ?? usable.at(-1)
    }
    const { awaitsApproval } = enrolled
    const opening = { held, setup, campaign, by: { kind: 'customer' }, awaitsApproval, now }
    return (await openCard(tenant, opening)).cards[0]
  })
}

export interface OwnProfile extends OwnAddresses {
  readonly customer: Customer
  readonly session: WalletSession
  /** What the customer agrees to who wants offers, by language. */
  readonly words: Readonly<Record<Language, string>>
}

export async function readOwnProfile(
  deps: Deps,
  key: WalletKey,
  token: string | undefined,
): Promise<OwnProfile> {
  const { tenant, card, setup, session } = await getOwn(deps, key, token)
  const { customer } = await getCustomerView(deps, tenant, setup.organization, card.customer)
  const words = consentWords(setup.organization.name, await findContact(tenant))
  return { customer, session, words, ...(await listAddresses(tenant, customer, deps.clock())) }
}

export interface OwnPatch {
  readonly fullname?: string
  readonly language?: Language
  readonly consents?: Readonly<Record<string, boolean>>
  /** The language of the words that the customer saw. */
  readonly shownIn?: Language
}

export async function changeOwnProfile(
  deps: Deps,
  key: WalletKey,
  token: string | undefined,
  patch: OwnPatch,
): Promise<void> {
  const { card, setup } = await getOwn(deps, key, token)
  await inTransaction(deps.pool, key.org, async (tenant) => {
    const { organization } = setup
    const { customer } = await getCustomerView(deps, tenant, organization, card.customer)
    if (customer.status !== customerStatus.active) throw new Refused('customer_not_active')
    refuseUnknownPurposes(patch, customer)
    const wordings = wordingsOf(patch, organization.name, await findContact(tenant))
    await patchCustomer(deps, tenant, organization, customer.id, toPatch(patch), {
      kind: 'customer',
      wordings,
    })
  })
}

const toPatch = ({ fullname, language, consents }: OwnPatch) => ({
  ...(fullname !== undefined && { data: { fullname } }),
  ...(language !== undefined && { language }),
  ...(consents !== undefined && { consents }),
})

/** Purposes are the merchant's: a customer agrees to those there are. */
function refuseUnknownPurposes({ consents = {} }: OwnPatch, customer: Customer): void {
  const known = [marketingPurpose, ...Object.keys(customer.consents ?? {})]
  if (Object.keys(consents).every((purpose) => known.includes(purpose))) return
  throw new Refused('_invalid_payload', 'consents: must be purposes that the page shows.')
}

const wordingsOf = ({ shownIn = 'en' }: OwnPatch, merchant: string, contact: OrganizationContact) => ({
  [marketingPurpose]: consentWords(merchant, contact)[shownIn],
})

export async function downloadOwnData(
  deps: Deps,
  key: WalletKey,
  { channel, code }: CodeFromCustomer,
): Promise<CustomerExport & { readonly organization: Organization }> {
  const { tenant, card, setup } = await getWallet(deps, key)
  await acceptCode(deps, key.org, { customer: card.customer, channel, purpose: 'download', code })
  const { organization } = setup
  return { ...(await exportCustomer(deps, tenant, organization, card.customer)), organization }
}

export async function eraseOwnData(
  deps: Deps,
  key: WalletKey,
  { channel, code }: CodeFromCustomer,
): Promise<void> {
  const { card } = await getWallet(deps, key)
  await acceptCode(deps, key.org, { customer: card.customer, channel, purpose: 'erase', code })
  await changeWallet(deps, key.org, eraseCustomer(card.customer))
}
