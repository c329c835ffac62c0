/** A pass for Apple Wallet: a signed archive with the card, its words in all languages, and its pictures. */
import { createHash } from 'node:crypto'
import { inkOn, type Rgb, toRgb } from '../../domain/color.ts'
import type { CardId } from '../../domain/ids.ts'
import { type Language, languages } from '../../domain/language.ts'
import type { AppleKeys } from './check-keys.ts'
import { drawIcon, drawStrip } from './draw-stamps.ts'
import type { PassContent, PassField } from './pass-content.ts'
import { signDetached } from './sign-detached.ts'
import { type Localized, words } from './words.ts'
import { toZip } from './zip.ts'

export const pkpassType = 'application/vnd.apple.pkpass'

export type BarcodeKind = 'code128' | 'qr'

export interface AppleLinks {
  /** The card that the pass was made for; it stays the same when that card is replaced. */
  readonly serial: CardId
  /** Where phones register and ask for newer passes. */
  readonly webService: string
  readonly authenticationToken: string
  readonly walletPage: string
}

export interface ApplePassOptions {
  readonly content: PassContent
  readonly links: AppleLinks
  readonly keys: AppleKeys
  /** The code that is shown; a watch, which cannot show Code 128, shows the QR code. */
  readonly firstCode: BarcodeKind
  /** The merchant's own, as PNG. */
  readonly logo?: Buffer
  readonly now: Date
}

/** Pixels per point of the screens there are. */
const scales = [1, 2, 3]
const iconPoints = 29

export function toApplePass(options: ApplePassOptions): Buffer {
  const { content, keys, now } = options
  const files = new Map<string, Buffer>([
    ['pass.json', Buffer.from(JSON.stringify(toPassJson(options)))],
    ...pictures(options),
    ...languages.map((language): [string, Buffer] => [
      `${language}.lproj/pass.strings`,
      toStrings(content, language),
    ]),
  ])
  const hashes = [...files].map(([name, file]) => [name, createHash('sha1').update(file).digest('hex')])
  const manifest = Buffer.from(JSON.stringify(Object.fromEntries(hashes)))
  files.set('manifest.json', manifest)
  files.set('signature', signDetached(manifest, keys, now))
  return toZip(files)
}

const formats = { code128: 'PKBarcodeFormatCode128', qr: 'PKBarcodeFormatQR' } as const

function toPassJson({ content, links, keys, firstCode }: ApplePassOptions): object {
  const { barcode, color, language, merchant, program } = content
  const ink = cssColor(toRgb(inkOn(color)))
  return {
    formatVersion: 1,
    passTypeIdentifier: keys.passType,
    teamIdentifier: keys.team,
    serialNumber: links.serial,
    webServiceURL: links.webService,
    authenticationToken: links.authenticationToken,
    organizationName: merchant,
    description: `${merchant}: ${program}`,
    logoText: merchant,
    backgroundColor: cssColor(toRgb(color)),
    foregroundColor: ink,
    labelColor: ink,
    sharingProhibited: true,
    voided: barcode === undefined ? true : undefined,
    barcodes: barcode === undefined ? undefined : toBarcodes(barcode, firstCode),
    storeCard: toFields(content, language, links.walletPage),
  }
}

function toBarcodes(message: string, first: BarcodeKind): object[] {
  const kinds = first === 'qr' ? (['qr', 'code128'] as const) : (['code128', 'qr'] as const)
  const altText = message.replace(/(\d{4})(?=\d)/g, '$1 ')
  return kinds.map((kind) => ({ format: formats[kind], message, messageEncoding: 'iso-8859-1', altText }))
}

const cssColor = ([red, green, blue]: Rgb) => `rgb(${red}, ${green}, ${blue})`

/** The main balance stands in the corner that shows when passes lie on top of each other. */
function toFields(content: PassContent, language: Language, walletPage: string): object {
  const { balances, nextReward, tier, coupons, couponList, expiring, about } = content
  const [main, ...others] = balances
  const render = (field: PassField, changeMessage?: Localized) => ({
    key: field.key,
    label: field.label[language],
    value: field.value[language],
    changeMessage: changeMessage?.[language],
  })
  const given = (...fields: (PassField | undefined)[]) =>
    fields.flatMap((field) => (field ? [render(field)] : []))
  return {
    headerFields: main ? [render(main, balanceNow)] : [],
    secondaryFields: given(nextReward, tier),
    auxiliaryFields: given(...others.slice(0, 2), coupons),
    backFields: [
      ...given(...others.slice(2), couponList, expiring, ...about),
      {
        ...render(walletLink),
        value: walletPage,
        attributedValue: `<a href="${walletPage}">${walletLink.label[language]}</a>`,
      },
    ],
  }
}

const inWords = (key: 'balanceNow' | 'walletPage'): Localized => ({
  en: words.en[key],
  de: words.de[key],
  ar: words.ar[key],
})
const balanceNow = inWords('balanceNow')
const walletLink: PassField = {
  key: 'wallet-page',
  label: inWords('walletPage'),
  value: inWords('walletPage'),
}

/**
 * The words in `pass.json` are of the merchant's language, and are what a phone looks up here: one that has none of
 * our languages then shows those instead of names that mean nothing.
 */
function toStrings(content: PassContent, language: Language): Buffer {
  const { balances, nextReward, tier, coupons, couponList, expiring, about } = content
  const fields = [...balances, nextReward, tier, coupons, couponList, expiring, ...about, walletLink]
  const texts = [...fields.flatMap((field) => (field ? [field.label, field.value] : [])), balanceNow]
  const pairs = new Map(texts.map((text) => [text[content.language], text[language]]))
  return Buffer.from([...pairs].map(([from, to]) => `${quoted(from)} = ${quoted(to)};\n`).join(''))
}

const quoted = (text: string) =>
  `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`

function pictures({ content, logo }: ApplePassOptions): [string, Buffer][] {
  const { color, progress } = content
  const files: [string, Buffer][] = []
  for (const scale of scales) {
    const suffix = scale === 1 ? '.png' : `@${scale}x.png`
    files.push([`icon${suffix}`, drawIcon(color, iconPoints * scale)])
    if (progress) files.push([`strip${suffix}`, drawStrip({ ...progress, color, scale })])
  }
  if (logo) files.push(['logo.png', logo])
  return files
}
