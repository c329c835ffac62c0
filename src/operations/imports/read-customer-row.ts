/** Checks one row of a file of customers against what the organization has, and converts it to what is stored. */
import { maxPurposes, purposePattern } from '../../domain/consents.ts'
import { customerEmail, type Profile } from '../../domain/customer.ts'
import {
  foreignBarcode,
  type ImportBalance,
  type ImportCard,
  type ImportRow,
  type ProblemCode,
  type RowProblem,
} from '../../domain/import.ts'
import { type Language, languages } from '../../domain/language.ts'
import { isMetaDataTooLarge } from '../../domain/meta-data.ts'
import { maxUnits, toUnits } from '../../domain/money.ts'
import { normalizePhone } from '../../domain/phone.ts'
import { startOfDay } from '../../engine/clock/local-time.ts'
import type { LiveCampaign } from '../campaigns/published-campaigns.ts'
import type { Setup } from '../organizations/setup-cache.ts'
import { isDay } from '../organizations/time-range.ts'

/** A row as it would be stored. */
export interface CustomerDraft {
  readonly row: number
  readonly profile: Profile
  readonly cards: readonly { readonly campaign: LiveCampaign; readonly barcode?: string }[]
  readonly openings: readonly Opening[]
  readonly problems: RowProblem[]
}

export interface Opening {
  readonly key: string
  readonly units: number
  readonly total: number
  readonly lots: readonly { readonly units: number; readonly expiresAt?: Date }[]
}

export interface CustomerRules {
  readonly setup: Setup
  /** Campaigns that can be joined, by ID and by name. */
  readonly campaigns: ReadonlyMap<string, LiveCampaign>
  /** Everyone in the file gets a card of it. */
  readonly campaign?: LiveCampaign
  readonly countsTowardTotal: boolean
}

const dayMs = 86_400_000
const isPurpose = new RegExp(purposePattern)

export function readCustomerRow(row: ImportRow, rules: CustomerRules): CustomerDraft {
  const problems: RowProblem[] = [...(row.problems ?? [])]
  const add = (field: string, code: ProblemCode) => {
    problems.push({ field, code })
    return undefined
  }
  const profile = readProfile(row, rules.setup, add)
  const cards = readCards(row.cards ?? [], rules, add)
  const openings = (row.balances ?? []).flatMap((balance) => readOpening(balance, rules, add) ?? [])
  const { opaqueId, email, phone, fullname } = profile
  const hasBarcode = cards.some(({ barcode }) => barcode !== undefined)
  if (problems.length === 0 && !opaqueId && !email && !phone && !fullname && !hasBarcode)
    add('email', 'missing')
  return { row: row.row, profile, cards, openings, problems }
}

type Add = (field: string, code: ProblemCode) => undefined

function readProfile(row: ImportRow, { organization }: Setup, add: Add): Profile {
  const text = (field: 'opaqueId' | 'fullname' | 'email' | 'phone', max: number) => {
    const value = row[field]?.trim()
    if (!value) return undefined
    return value.length > max ? add(field, 'too_long') : value
  }
  const given = text('phone', 64)
  const phone = given && normalizePhone(given, organization.country)
  if (given && !phone) add('phone', 'invalid')
  const email = text('email', 254)?.normalize('NFC')
  if (email && !customerEmail.test(email)) add('email', 'invalid')
  const language = row.language?.trim().toLowerCase().slice(0, 2) || undefined
  if (language && !languages.includes(language as Language)) add('language', 'invalid')
  const purposes = Object.keys(row.consents ?? {})
  for (const purpose of purposes) if (!isPurpose.test(purpose)) add('consents', 'invalid')
  if (purposes.length > maxPurposes) add('consents', 'too_long')
  const { metaData } = row
  if (metaData && isMetaDataTooLarge(metaData)) add('metaData', 'too_long')
  return {
    opaqueId: text('opaqueId', 255),
    fullname: text('fullname', 200),
    email,
    phone: phone || undefined,
    language: language as Language | undefined,
    consents: purposes.length > 0 ? row.consents : undefined,
    metaData: metaData && Object.keys(metaData).length > 0 ? metaData : undefined,
  }
}

function readCards(given: readonly ImportCard[], rules: CustomerRules, add: Add): CustomerDraft['cards'] {
  const cards = given.flatMap(({ campaign: name, barcode: text }) => {
    const campaign = name === undefined ? rules.campaign : rules.campaigns.get(name)
    const barcode = text?.trim() || undefined
    if (!campaign) return add('barcode', 'unknown') ?? []
    if (barcode && !foreignBarcode.test(barcode)) return add('barcode', 'invalid') ?? []
    return [{ campaign, barcode }]
  })
  const { campaign } = rules
  const isMissing = campaign && !cards.some((card) => card.campaign.id === campaign.id)
  if (new Set(cards.map((card) => card.campaign.id)).size < cards.length) add('barcode', 'duplicate')
  return isMissing ? [...cards, { campaign, barcode: undefined }] : cards
}

function readOpening(
  { key, total, lots }: ImportBalance,
  { setup, campaigns, countsTowardTotal }: CustomerRules,
  add: Add,
): Opening | undefined {
  const field = `balances.${key}`
  const isKnown = [...campaigns.values()].some(({ compiled }) =>
    compiled.balances.some((balance) => balance.key === key),
  )
  if (!isKnown) return add(field, 'unknown')
  const decimals = setup.decimals.get(key) ?? 0
  const read = lots.map(({ amount, expiresAt }) => ({
    units: toUnits(amount, decimals) ?? -1,
    expiresAt: expiresAt === undefined ? undefined : readExpiry(expiresAt, setup.organization.timezone),
    isDated: expiresAt !== undefined,
  }))
  if (read.some(({ isDated, expiresAt }) => isDated && !expiresAt))
    return add(`${field}.expiresAt`, 'invalid')
  const units = read.reduce((sum, lot) => sum + lot.units, 0)
  const whole = total === undefined ? (countsTowardTotal ? units : 0) : (toUnits(total, decimals) ?? -1)
  const isInRange = (value: number) => value >= 0 && value <= maxUnits
  if (read.some((lot) => lot.units < 0) || !isInRange(units)) return add(field, 'invalid')
  if (!isInRange(whole)) return add(`${field}.total`, 'invalid')
  return { key, units, total: whole, lots: read.filter((lot) => lot.units > 0) }
}

/** A day is one on which it can still be used; a time is exact. */
function readExpiry(text: string, timezone: string): Date | undefined {
  if (isDay(text)) return startOfDay(Date.parse(text) + dayMs, timezone)
  const isTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)$/.test(text)
  const time = new Date(text)
  return isTime && !Number.isNaN(time.getTime()) ? time : undefined
}
