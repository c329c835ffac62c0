/**
 * What the columns of a file mean. A field is a text, so that a mapping can be kept in a file and edited by hand:
 * `email`, `balance:points`, `balance:points:expires`, `barcode:Coffee club`, `consent:marketing`, `meta:birthday`.
 */
import type { ImportKind } from '../domain/import.ts'

/** By column, its field; a column that is left out is ignored. */
export type Mapping = Readonly<Record<string, string>>

/** What an organization has that columns may be about. */
export interface Surroundings {
  readonly kind: ImportKind
  readonly balances: readonly { readonly key: string; readonly name: string }[]
  readonly campaigns: readonly string[]
}

export const customerFields = [
  'opaqueId',
  'fullname',
  'firstName',
  'lastName',
  'email',
  'phone',
  'language',
  'barcode',
  'consents',
  'metaData',
] as const
export const directoryFields = ['opaqueId', 'name', 'category', 'price'] as const

/** Every field that a column can be mapped to by choice; `meta:` and `consent:` take any name. */
export function fieldsOf({ kind, balances, campaigns }: Surroundings): string[] {
  if (kind === 'branches') return ['opaqueId', 'name']
  if (kind === 'products') return [...directoryFields]
  return [
    ...customerFields,
    ...(campaigns.length > 1 ? campaigns.map((name) => `barcode:${name}`) : []),
    'consent:marketing',
    ...balances.flatMap(({ key }) =>
      ['', ':expires', ':total', ':lots'].map((part) => `balance:${key}${part}`),
    ),
    'cards',
    'balances',
  ]
}

/** Whether the field exists for such a file. */
export function isField(field: string, around: Surroundings): boolean {
  if (around.kind === 'customers' && /^(?:meta:.{1,60}|consent:[a-z][a-z0-9_-]{0,39})$/.test(field))
    return true
  return fieldsOf(around).includes(field) || (around.kind === 'customers' && field.startsWith('barcode:'))
}

/** How columns are called elsewhere, in letters and digits only; the more special ones first. */
const customerWords: readonly (readonly [field: string, words: readonly string[]])[] = [
  [
    'barcode',
    [
      'barcode',
      'cardnumber',
      'cardno',
      'cardid',
      'loyaltycard',
      'loyaltycardnumber',
      'membershipnumber',
      'membernumber',
      'memberno',
      'kartennummer',
      'kundenkarte',
      'رقمالبطاقة',
    ],
  ],
  [
    'opaqueId',
    [
      'externalid',
      'opaqueid',
      'customerid',
      'id',
      'referenceid',
      'squarecustomerid',
      'memberid',
      'userid',
      'customernumber',
      'customerno',
      'kundennummer',
      'kundennr',
      'رقمالعميل',
    ],
  ],
  ['firstName', ['firstname', 'givenname', 'vorname', 'الاسمالاول']],
  ['lastName', ['lastname', 'surname', 'familyname', 'nachname', 'اسمالعائلة']],
  [
    'fullname',
    ['name', 'fullname', 'customername', 'customer', 'membername', 'kunde', 'kundenname', 'الاسم'],
  ],
  ['email', ['email', 'emailaddress', 'mail', 'customeremail', 'emailadresse', 'البريدالالكتروني']],
  [
    'phone',
    [
      'phone',
      'phonenumber',
      'mobile',
      'mobilenumber',
      'mobilephone',
      'cell',
      'cellphone',
      'telephone',
      'telefon',
      'telefonnummer',
      'handy',
      'handynummer',
      'الهاتف',
      'رقمالهاتف',
      'الجوال',
    ],
  ],
  ['language', ['language', 'locale', 'lang', 'sprache', 'اللغة']],
  ['consents', ['consents']],
  ['metaData', ['metadata']],
  ['cards', ['cards']],
  ['balances', ['balances']],
  [
    'consent:marketing',
    [
      'marketing',
      'marketingconsent',
      'consent',
      'consentmarketing',
      'acceptsmarketing',
      'acceptsemailmarketing',
      'emailmarketing',
      'emailmarketingconsent',
      'emailsubscriptionstatus',
      'emailoptin',
      'optin',
      'newsletter',
      'subscribed',
      'marketingoptin',
      'werbeeinwilligung',
    ],
  ],
  [
    'meta:birthday',
    ['birthday', 'birthdate', 'dateofbirth', 'dob', 'geburtstag', 'geburtsdatum', 'تاريخالميلاد'],
  ],
]

const productWords: typeof customerWords = [
  [
    'opaqueId',
    [
      'externalid',
      'opaqueid',
      'sku',
      'variantsku',
      'id',
      'productid',
      'itemid',
      'code',
      'articlenumber',
      'artikelnummer',
      'barcode',
      'رمزالمنتج',
    ],
  ],
  [
    'name',
    [
      'name',
      'title',
      'productname',
      'itemname',
      'product',
      'item',
      'bezeichnung',
      'artikel',
      'الاسم',
      'المنتج',
    ],
  ],
  [
    'category',
    [
      'category',
      'categories',
      'reportingcategory',
      'type',
      'productcategory',
      'productgroup',
      'kategorie',
      'warengruppe',
      'الفئة',
    ],
  ],
  ['price', ['price', 'variantprice', 'unitprice', 'preis', 'verkaufspreis', 'السعر']],
]

const branchWords: typeof customerWords = [
  [
    'opaqueId',
    ['externalid', 'opaqueid', 'id', 'branchid', 'storeid', 'locationid', 'code', 'filialnummer', 'رقمالفرع'],
  ],
  [
    'name',
    [
      'name',
      'branch',
      'branchname',
      'store',
      'storename',
      'location',
      'locationname',
      'nickname',
      'filiale',
      'الفرع',
      'الاسم',
    ],
  ],
]

const wordsOf = { customers: customerWords, products: productWords, branches: branchWords }

/** What the usual balances are called in other languages. */
const elsewhere: Readonly<Record<string, readonly string[]>> = {
  points: ['points', 'punkte', 'punktestand', 'النقاط'],
  stamps: ['stamps', 'stempel', 'الاختام'],
}

const expiry =
  /^(?:expir(?:y|es|ation|ing)(?:date|at|on)?|validuntil|ablaufdatum|ablauf|gultigbis|تاريخالانتهاء)$/

/** Headers that mean points when an organization has only one balance. */
const anyBalance =
  /^(?:current|available|loyalty|reward|rewards|total)?(?:points?|punkte|stamps?|stempel|balance|pointsbalance|pointbalance|stampcount|punktestand|guthaben|النقاط)(?:balance|earned|available)?$/

const plain = (text: string) =>
  text
    .normalize('NFD')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, '')

/** Guesses from the names alone. Each field is used once, by the first column that means it. */
export function guessMapping(columns: readonly string[], around: Surroundings): Mapping {
  const mapping: Record<string, string> = {}
  const used = new Set<string>()
  const guesses = [
    (column: string) => (isField(column, around) ? column : undefined),
    (column: string) => wordsOf[around.kind].find(([, words]) => words.includes(plain(column)))?.[0],
    (column: string) => guessCustomerColumn(column, around, columns.map(plain)),
  ]
  for (const guess of guesses) {
    for (const column of columns) {
      const field = mapping[column] === undefined ? guess(column) : undefined
      if (field === undefined || used.has(field)) continue
      mapping[column] = field
      used.add(field)
    }
  }
  // A date alone is about the only balance that the file has.
  const [opened, ...others] = [...used].filter((field) => /^balance:[^:]+$/.test(field))
  const dated = columns.find((column) => mapping[column] === undefined && expiry.test(plain(column)))
  if (opened && others.length === 0 && dated && !used.has(`${opened}:expires`))
    mapping[dated] = `${opened}:expires`
  // A whole name is better than its parts.
  if (used.has('fullname'))
    for (const [column, field] of Object.entries(mapping))
      if (field === 'firstName' || field === 'lastName') delete mapping[column]
  // In the order of the columns, so that the same file has the same mapping.
  return Object.fromEntries(columns.flatMap((column) => (mapping[column] ? [[column, mapping[column]]] : [])))
}

function guessCustomerColumn(
  column: string,
  { kind, balances, campaigns }: Surroundings,
  words: readonly string[],
): string | undefined {
  if (kind !== 'customers') return undefined
  const word = plain(column)
  const campaign = campaigns.find((name) => word === `barcode${plain(name)}`)
  if (campaign) return `barcode:${campaign}`
  for (const { key, name } of balances) {
    for (const called of [plain(key), plain(name), ...(elsewhere[plain(key)] ?? [])]) {
      if (called === '') continue
      // Beside those that are active, the others are all that were ever collected.
      if (word === `active${called}`) return `balance:${key}`
      if (word === called && words.includes(`active${called}`)) return `balance:${key}:total`
      if (!word.startsWith(called)) continue
      const part = balancePart(word.slice(called.length))
      if (part !== undefined) return `balance:${key}${part}`
    }
  }
  const [only, ...others] = balances
  if (!only || others.length > 0) return undefined
  if (/^(?:lifetime|total)(?:points|stamps|punkte)(?:earned)?$/.test(word)) return `balance:${only.key}:total`
  return anyBalance.test(word) ? `balance:${only.key}` : undefined
}

/** What follows the name of a balance. */
function balancePart(rest: string): string | undefined {
  if (/^(?:balance|amount|current|available|stand)?$/.test(rest)) return ''
  if (expiry.test(rest)) return ':expires'
  if (/^(?:total|lifetime|earned|collected|gesamt)$/.test(rest)) return ':total'
  return rest === 'lots' ? ':lots' : undefined
}
