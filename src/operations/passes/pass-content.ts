/**
 * What a pass shows, the same for both kinds of wallets: the card as on the wallet page, in words of all languages.
 * No name and no contact data of the customer: a pass lies open on a locked phone, and with Google.
 */
import { plainColor } from '../../domain/color.ts'
import { cardStatus } from '../../domain/customer.ts'
import { type Language, languageOfLocale } from '../../domain/language.ts'
import { fromUnits } from '../../domain/money.ts'
import { modeOf } from '../../domain/organization.ts'
import type { WalletPage } from '../wallet-page/open-wallet.ts'
import { isStamps, type Progress } from './draw-stamps.ts'
import { inAll, type Localized, words } from './words.ts'

export interface PassField {
  readonly key: string
  readonly label: Localized
  readonly value: Localized
}

export interface PassContent {
  readonly merchant: string
  readonly program: string
  readonly color: string
  /** The language on a phone that has none of ours. */
  readonly language: Language
  /** Undefined while the card or its customer is blocked. */
  readonly barcode?: string
  /** The card's own come first. */
  readonly balances: readonly PassField[]
  readonly nextReward?: PassField
  readonly tier?: PassField
  readonly coupons?: PassField
  /** What each coupon is, and until when. */
  readonly couponList?: PassField
  readonly expiring?: PassField
  readonly about: readonly PassField[]
  readonly progress?: Progress
}

const mostShown = 20

export function toPassContent(page: WalletPage): PassContent {
  const { organization, card } = page
  const isBlocked = card.status === cardStatus.blocked
  return {
    merchant: modeOf(organization) === 'test' ? `TEST – ${organization.name}` : organization.name,
    program: card.campaignName,
    color: organization.color ?? plainColor,
    language: languageOfLocale(organization.locale),
    barcode: isBlocked ? undefined : card.barcode,
    balances: balancesOf(page),
    ...progressOf(page),
    tier: tierOf(page),
    ...couponsOf(page),
    expiring: expiringOf(page),
    about: [
      field(
        'program',
        (t) => t.program,
        () => card.campaignName,
      ),
      isBlocked
        ? field(
            'blocked',
            (t) => t.blocked,
            (t) => t.blockedHint,
          )
        : field(
            'number',
            (t) => t.cardNumber,
            () => card.barcode,
          ),
    ],
  }
}

/** What is left on a phone whose link to the card is no longer valid: how to go on, and nothing of the customer. */
export function toEndedContent(
  { name, color, locale }: Pick<WalletPage['organization'], 'name' | 'color' | 'locale'>,
  program: string,
): PassContent {
  return {
    merchant: name,
    program,
    color: color ?? plainColor,
    language: languageOfLocale(locale),
    balances: [],
    nextReward: field(
      'ended',
      (t) => t.ended,
      (t) => t.endedHint,
    ),
    about: [],
  }
}

type Words = (typeof words)[Language]

const field = (
  key: string,
  label: (words: Words) => string,
  value: (words: Words, language: Language) => string,
): PassField => ({
  key,
  label: inAll((language) => label(words[language])),
  value: inAll((language) => value(words[language], language)),
})

/** Those of other campaigns only if not empty, as on the wallet page. */
function balancesOf({ view, ownBalances, balanceNames }: WalletPage): PassField[] {
  const place = (key: string) => (ownBalances.includes(key) ? ownBalances.indexOf(key) : ownBalances.length)
  return view.balances
    .filter(({ key, value }) => ownBalances.includes(key) || value !== 0)
    .toSorted((a, b) => place(a.key) - place(b.key))
    .map(({ key, value, decimals }) =>
      field(
        `balance-${key}`,
        () => balanceNames.get(key) ?? key,
        (_, language) => formatUnits(value, decimals, language),
      ),
    )
}

const decimalsOf = ({ view }: WalletPage, key: string) =>
  view.balances.find((balance) => balance.key === key)?.decimals ?? 0

function formatUnits(units: number, decimals: number, language: Language): string {
  const digits = { minimumFractionDigits: decimals, maximumFractionDigits: decimals }
  return new Intl.NumberFormat(language, digits).format(fromUnits(units, decimals))
}

/** What can be drawn as stamps is preferred. */
function progressOf(page: WalletPage): Pick<PassContent, 'progress' | 'nextReward'> {
  const all = page.progress.map(({ key, have, need, rewardName }) => {
    const decimals = decimalsOf(page, key)
    const units = { have: fromUnits(have, decimals), need: fromUnits(need, decimals) }
    return { have, need, decimals, rewardName, units }
  })
  const shown = all.find(({ units }) => isStamps(units)) ?? all[0]
  if (!shown) return {}
  const { have, need, decimals, rewardName, units } = shown
  const missing = need - Math.max(0, Math.min(have, need))
  return {
    progress: units,
    nextReward: field(
      'next',
      (t) => t.nextReward,
      (t, language) => t.toGo(formatUnits(missing, decimals, language), rewardName),
    ),
  }
}

/** The tiers of the card's own campaign first. */
function tierOf({ view, card }: WalletPage): PassField | undefined {
  const own = view.tiers.find(({ campaign }) => campaign === card.campaign) ?? view.tiers[0]
  return (
    own &&
    field(
      'tier',
      (t) => t.tier,
      () => own.name,
    )
  )
}

function couponsOf({ view, organization }: WalletPage): Pick<PassContent, 'coupons' | 'couponList'> {
  const { coupons } = view
  if (coupons.length === 0) return {}
  const sorted = coupons.toSorted(
    (a, b) => (a.expiresAt?.getTime() ?? Infinity) - (b.expiresAt?.getTime() ?? Infinity),
  )
  const date = dateIn(organization.timezone)
  return {
    coupons: field(
      'coupons',
      (t) => t.coupons,
      (_, language) => formatUnits(coupons.length, 0, language),
    ),
    couponList: field(
      'coupon-list',
      (t) => t.coupons,
      (t, language) =>
        [
          ...sorted
            .slice(0, mostShown)
            .map(({ reward, expiresAt }) => t.coupon(reward.name, expiresAt && date(expiresAt, language))),
          t.couponHint,
        ].join('\n'),
    ),
  }
}

function expiringOf(page: WalletPage): PassField | undefined {
  const { expiring } = page.view
  if (expiring.length === 0) return undefined
  const date = dateIn(page.organization.timezone)
  return field(
    'expiring',
    (t) => t.expiring,
    (t, language) =>
      expiring
        .slice(0, mostShown)
        .map(({ key, amount, decimals, at }) => {
          const sum = formatUnits(amount, decimals, language)
          return t.amountUntil(`${page.balanceNames.get(key) ?? key}: ${sum}`, date(at, language))
        })
        .join('\n'),
  )
}

const dateIn = (timeZone: string) => (at: Date, language: Language) =>
  new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeZone }).format(at)
