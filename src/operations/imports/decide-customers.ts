/**
 * Decides what becomes of the rows of a piece of a file: who is new, who is known already, and what is added to
 * them. Nothing that a customer has is replaced, except the profile if the import may do that. Whatever was decided
 * once is decided the same way when the file is sent again: a balance is opened once, and a card of a campaign is
 * there once.
 */
import { isDeepStrictEqual } from 'node:util'
import { recordConsents } from '../../domain/consents.ts'
import {
  type Card,
  type Customer,
  cardStatus,
  customerStatus,
  emailKey,
  firstWalletVersion,
  type Profile,
  stillVerified,
} from '../../domain/customer.ts'
import type { CustomerId, UserId } from '../../domain/ids.ts'
import type { ImportCounts, RowProblem } from '../../domain/import.ts'
import type { Movement } from '../../domain/ledger-entry.ts'
import { type Lot, neverExpires } from '../../domain/lot.ts'
import { maxUnits } from '../../domain/money.ts'
import type { HeldBalance, KnownCustomer, Match, MatchField } from '../../store/import-customers.ts'
import type { RejectedRow } from '../../store/imports.ts'
import { newId } from '../../store/new-id.ts'
import type { WalletChange } from '../../store/wallets/change.ts'
import type { MissingBalance } from '../../store/wallets/write.ts'
import { newBarcode } from '../customers/new-barcode.ts'
import type { CustomerDraft, Opening } from './read-customer-row.ts'

export interface CustomerPlan {
  readonly counts: ImportCounts
  readonly rejected: readonly RejectedRow[]
  readonly created: readonly Customer[]
  readonly updated: readonly { readonly id: CustomerId; readonly profile: Profile }[]
  readonly cards: readonly Card[]
  /** Balances of the campaigns of new cards that are opened at zero. */
  readonly zeros: readonly MissingBalance[]
  readonly changes: readonly WalletChange[]
}

export interface Circumstances {
  readonly matches: readonly Match[]
  readonly known: ReadonlyMap<CustomerId, KnownCustomer>
  readonly updatesExisting: boolean
  /** Balances that also expire by inactivity: their units are in lots. */
  readonly idleKeys: ReadonlySet<string>
  readonly user: UserId
  readonly now: Date
}

/** The values by which a row is recognized, in the order in which problems with them are named. */
export function keysOf({ profile, cards }: CustomerDraft): [MatchField, string][] {
  const { opaqueId, email, phone } = profile
  return [
    ...cards.flatMap(({ barcode }): [MatchField, string][] => (barcode ? [['barcode', barcode]] : [])),
    ...(opaqueId ? ([['opaqueId', opaqueId]] as [MatchField, string][]) : []),
    ...(email ? ([['email', emailKey(email)]] as [MatchField, string][]) : []),
    ...(phone ? ([['phone', phone]] as [MatchField, string][]) : []),
  ]
}

export function decideCustomers(drafts: readonly CustomerDraft[], given: Circumstances): CustomerPlan {
  const owners = ownersOf(given.matches)
  const rowsByKey = new Map<string, number>()
  const rejected: RejectedRow[] = []
  const decided: Decided[] = []
  for (const draft of drafts) {
    const found = [...draft.problems]
    const owner = findOwner(draft, owners, rowsByKey, given, found)
    const one = found.length === 0 ? decideRow(draft, owner, owners, given, found) : undefined
    if (found.length > 0) rejected.push({ row: draft.row, problems: found })
    if (found.length > 0 || !one) continue
    for (const [field, key] of keysOf(draft)) rowsByKey.set(`${field} ${key}`, draft.row)
    decided.push(one)
  }
  const count = (outcome: Decided['outcome']) => decided.filter((one) => one.outcome === outcome).length
  return {
    counts: {
      created: count('created'),
      updated: count('updated'),
      unchanged: count('unchanged'),
      rejected: drafts.length - decided.length,
    },
    rejected,
    created: decided.flatMap(({ created }) => created ?? []),
    updated: decided.flatMap(({ profile, id }) => (profile ? { id, profile } : [])),
    cards: decided.flatMap(({ cards }) => cards),
    zeros: decided.flatMap(({ zeros }) => zeros),
    changes: decided.flatMap(({ change }) => change ?? []),
  }
}

type Owners = ReadonlyMap<string, CustomerId>

const ownersOf = (matches: readonly Match[]): Owners =>
  new Map(matches.map(({ field, key, customer }) => [`${field} ${key}`, customer]))

/** The customer that the row is about; undefined for a new one. */
function findOwner(
  draft: CustomerDraft,
  owners: Owners,
  rowsByKey: ReadonlyMap<string, number>,
  { known }: Circumstances,
  problems: RowProblem[],
): KnownCustomer | undefined {
  let owner: CustomerId | undefined
  for (const [field, key] of keysOf(draft)) {
    const otherRow = rowsByKey.get(`${field} ${key}`)
    // The client may have found it already.
    const isNamed = problems.some((known) => known.field === field && known.code === 'duplicate')
    if (otherRow !== undefined && !isNamed) problems.push({ field, code: 'duplicate', otherRow })
    const customer = owners.get(`${field} ${key}`)
    // The barcode of an erased customer stays taken: erased customers do not come back with a file.
    if (customer && (!known.has(customer) || (owner && owner !== customer)))
      problems.push({ field, code: 'taken' })
    owner ??= customer
  }
  return owner && known.get(owner)
}

interface Decided {
  readonly id: CustomerId
  readonly outcome: 'created' | 'updated' | 'unchanged'
  readonly created?: Customer
  readonly profile?: Profile
  readonly cards: readonly Card[]
  readonly zeros: readonly MissingBalance[]
  readonly change?: WalletChange
}

function decideRow(
  draft: CustomerDraft,
  known: KnownCustomer | undefined,
  owners: Owners,
  given: Circumstances,
  problems: RowProblem[],
): Decided | undefined {
  const id = known?.customer.id ?? newId('cus', given.now)
  const cards = newCards(draft, id, known, owners, given.now, problems)
  const opened = openBalances(draft.openings, id, known, given, problems)
  const profile =
    known && given.updatesExisting ? changedProfile(draft, known.customer, given.now) : undefined
  if (problems.length > 0) return undefined
  const held = new Set(known?.balances.map(({ key }) => key))
  for (const key of opened?.newBalances ?? []) held.add(key)
  const opening = draft.cards
    .filter(({ campaign }) => cards.some((card) => card.campaign === campaign.id))
    .flatMap(({ campaign }) => campaign.compiled.balances.map(({ key }) => key))
  const zeros = [...new Set(opening)].filter((key) => !held.has(key)).map((key) => ({ customer: id, key }))
  // A card also moves the version of the wallet: what was decided without it must fail.
  const change = opened ?? (known && cards.length > 0 ? touched(id, known, given) : undefined)
  const isChanged = change !== undefined || profile !== undefined
  const outcome = known ? (isChanged ? 'updated' : 'unchanged') : 'created'
  return {
    id,
    outcome,
    created: known ? undefined : newCustomer(draft, id, given.now),
    profile,
    cards,
    zeros,
    change,
  }
}

const touched = (customer: CustomerId, { walletVersion }: KnownCustomer, { user }: Circumstances) => ({
  customer,
  fromVersion: walletVersion,
  facts: [],
  cause: { kind: 'opening' as const, user, amounts: new Map<string, number>() },
})

function newCustomer({ profile }: CustomerDraft, id: CustomerId, now: Date): Customer {
  const consentHistory = recordConsents([], undefined, profile.consents, { at: now, via: 'import' })
  return { ...profile, consentHistory, id, status: customerStatus.active, createdAt: now, updatedAt: now }
}

/** What the file says replaces what is stored, field by field; undefined if that is the same. */
function changedProfile({ profile }: CustomerDraft, before: Customer, now: Date): Profile | undefined {
  const given = Object.fromEntries(Object.entries(profile).filter(([, value]) => value !== undefined))
  const asked: Profile = {
    ...before,
    ...given,
    metaData: profile.metaData ? { ...before.metaData, ...profile.metaData } : before.metaData,
    consents: profile.consents ? { ...before.consents, ...profile.consents } : before.consents,
  }
  const isSame = (Object.keys(given) as (keyof Profile)[]).every((field) =>
    isDeepStrictEqual(asked[field], before[field]),
  )
  if (isSame) return undefined
  const told = { at: now, via: 'import' } as const
  const history = recordConsents(before.consentHistory ?? [], before.consents, asked.consents, told)
  return { ...asked, ...stillVerified(before, asked), consentHistory: history }
}

function newCards(
  draft: CustomerDraft,
  customer: CustomerId,
  known: KnownCustomer | undefined,
  owners: Owners,
  now: Date,
  problems: RowProblem[],
): Card[] {
  return draft.cards.flatMap(({ campaign, barcode }) => {
    // Found by its barcode, it may have been replaced since.
    if (barcode && owners.has(`barcode ${barcode}`)) return []
    if (known?.campaigns.includes(campaign.id)) {
      if (barcode) problems.push({ field: 'barcode', code: 'differs' })
      return []
    }
    if (known && known.customer.status !== customerStatus.active) {
      problems.push({ field: 'barcode', code: 'blocked' })
      return []
    }
    return {
      id: newId('card', now),
      customer,
      campaign: campaign.id,
      campaignName: campaign.name,
      barcode: barcode ?? newBarcode(),
      status: cardStatus.active,
      walletVersion: firstWalletVersion,
      createdAt: now,
    }
  })
}

/** A balance is opened at most once, by whatever file; undefined if there is nothing to open. */
function openBalances(
  openings: readonly Opening[],
  customer: CustomerId,
  known: KnownCustomer | undefined,
  given: Circumstances,
  problems: RowProblem[],
): WalletChange | undefined {
  const movements: Movement[] = []
  const lots: Lot[] = []
  const amounts = new Map<string, number>()
  for (const opening of openings) {
    const { key, units, total } = opening
    const held = known?.balances.find((balance) => balance.key === key)
    if (held?.opening !== undefined) {
      if (held.opening !== units) problems.push({ field: `balances.${key}`, code: 'differs' })
      continue
    }
    if (units === 0 && total === 0) continue
    if (opening.lots.some(({ expiresAt }) => expiresAt && expiresAt <= given.now)) {
      problems.push({ field: `balances.${key}.expiresAt`, code: 'past' })
      continue
    }
    if ((held?.value ?? 0) + units > maxUnits || (held?.total ?? 0) + total > maxUnits) {
      problems.push({ field: `balances.${key}`, code: 'invalid' })
      continue
    }
    amounts.set(key, units)
    moveBalance(opening, held, given.idleKeys, movements, lots)
  }
  if (amounts.size === 0) return undefined
  const isHeld = (key: string) => known?.balances.some((balance) => balance.key === key) ?? false
  return {
    customer,
    fromVersion: known?.walletVersion ?? 0,
    movements,
    newBalances: [...amounts.keys()].filter((key) => !isHeld(key)),
    lots,
    facts: [],
    cause: { kind: 'opening', user: given.user, amounts },
  }
}

/** An entry for each lot, since a lot is named after its entry. The first one carries the lifetime total. */
function moveBalance(
  { key, total, lots: given }: Opening,
  held: HeldBalance | undefined,
  idleKeys: ReadonlySet<string>,
  movements: Movement[],
  lots: Lot[],
): void {
  let { value, version } = held ?? { value: 0, version: 0 }
  const totalAfter = (held?.total ?? 0) + total
  for (const { units, expiresAt } of given.length > 0 ? given : [{ units: 0, expiresAt: undefined }]) {
    value += units
    version += 1
    movements.push({ key, version, kind: 'opening', amount: units, valueAfter: value, totalAfter })
    const until = expiresAt ?? (idleKeys.has(key) ? neverExpires : undefined)
    if (until && units > 0) lots.push({ key, version, remaining: units, expiresAt: until })
  }
}
