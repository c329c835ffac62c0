/** A pass for Google Wallet: a class for each campaign, and an object for each card. */
import type { CampaignId, CardId } from '../../domain/ids.ts'
import { type Language, languages } from '../../domain/language.ts'
import type { BarcodeKind } from './apple-pass.ts'
import type { PassContent, PassField } from './pass-content.ts'
import { type Localized, words } from './words.ts'

export interface GoogleLinks {
  readonly issuer: string
  readonly campaign: CampaignId
  /** The card that the pass was made for; it stays the same when that card is replaced. */
  readonly serial: CardId
  /** Pictures that Google fetches; they say nothing about a customer. */
  readonly logo: string
  readonly stamps?: string
  readonly walletPage: string
}

/** IDs consist of the issuer's and one of ours. */
export const objectIdOf = (issuer: string, serial: CardId): string => `${issuer}.${serial}`
export const classIdOf = (issuer: string, campaign: CampaignId): string => `${issuer}.${campaign}`

export function toGoogleClass({ merchant, program, color }: PassContent, links: GoogleLinks): object {
  return {
    id: classIdOf(links.issuer, links.campaign),
    issuerName: merchant,
    programName: program,
    programLogo: {
      sourceUri: { uri: links.logo },
      contentDescription: { defaultValue: { language: 'en', value: merchant } },
    },
    hexBackgroundColor: color,
    reviewStatus: 'UNDER_REVIEW',
    multipleDevicesAndHoldersAllowedStatus: 'ONE_USER_ALL_DEVICES',
  }
}

const barcodeTypes = { code128: 'CODE_128', qr: 'QR_CODE' } as const

export function toGoogleObject(content: PassContent, links: GoogleLinks, firstCode: BarcodeKind): object {
  const { barcode, balances, language, tier, nextReward, coupons, couponList, expiring, about } = content
  const [main, second, ...others] = balances
  const given = [nextReward, tier, coupons, ...others, couponList, expiring, ...about].flatMap(
    (field) => field ?? [],
  )
  return {
    id: objectIdOf(links.issuer, links.serial),
    classId: classIdOf(links.issuer, links.campaign),
    state: barcode === undefined ? 'INACTIVE' : 'ACTIVE',
    accountId: barcode,
    // Sent empty as well: what an update leaves out stays as it was.
    barcode:
      barcode === undefined
        ? null
        : { type: barcodeTypes[firstCode], value: barcode, alternateText: barcode },
    loyaltyPoints: main ? toPoints(main, language) : null,
    secondaryLoyaltyPoints: second ? toPoints(second, language) : null,
    textModulesData: given.map((field) => toText(field, language)),
    heroImage: links.stamps ? { sourceUri: { uri: links.stamps } } : null,
    linksModuleData: {
      uris: [
        {
          id: 'wallet-page',
          uri: links.walletPage,
          localizedDescription: localized(walletPageWords, language),
        },
      ],
    },
  }
}

/** Nothing of the customer is left in it, and wallets put it aside. */
export const toEndedObject = () => ({
  state: 'EXPIRED',
  accountId: null,
  barcode: null,
  loyaltyPoints: null,
  secondaryLoyaltyPoints: null,
  textModulesData: [],
  heroImage: null,
  linksModuleData: null,
})

const walletPageWords: Localized = {
  en: words.en.walletPage,
  de: words.de.walletPage,
  ar: words.ar.walletPage,
}

const toPoints = ({ label, value }: PassField, language: Language) => ({
  localizedLabel: localized(label, language),
  balance: { string: value[language] },
})

const toText = ({ key, label, value }: PassField, language: Language) => ({
  id: key,
  localizedHeader: localized(label, language),
  localizedBody: localized(value, language),
})

const localized = (text: Localized, language: Language) => ({
  defaultValue: { language, value: text[language] },
  translatedValues: languages
    .filter((other) => other !== language)
    .map((other) => ({ language: other, value: text[other] })),
})
