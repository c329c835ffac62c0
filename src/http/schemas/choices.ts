/** The closed lists of values in requests and responses, and what each value means. */

import { Type } from 'typebox'
import { type ImportKind, type ProblemCode, problemCodes } from '../../domain/import.ts'
import { type Channel, type MessageFailure, type MessageKind, messageFailures } from '../../domain/message.ts'
import { skipReasons } from '../../domain/skip-reason.ts'
import type { SourceEnvironment, SourceKind } from '../../domain/source.ts'
import type { WalletKind } from '../../domain/wallet-pass.ts'
import type { WarningCode } from '../../domain/warning.ts'
import type { Problem } from '../../store/integrity.ts'
import { named } from '../openapi/name-components.ts'

/**
 * A closed list of values and what each of them means. Generated clients get constants from it: the names of
 * numbers and the meanings travel in the two extensions that generators know.
 */
export function Choice<const T extends string>(name: string, about: string, meanings: Record<T, string>) {
  const values = Object.keys(meanings) as T[]
  // Without a type, so that a value of another type is told the allowed values as well.
  return Type.Unsafe<T>({
    ...named(name),
    enum: values,
    description: `${about}${listMeanings(values, Object.values(meanings))}`,
    'x-enum-descriptions': Object.values(meanings),
  })
}

/** The first sentence of each: what to do about it comes with the value itself. */
export const briefly = <T extends string>(meanings: Record<T, string>) =>
  Object.fromEntries(
    Object.entries<string>(meanings).map(([value, meaning]) => [value, meaning.replace(/[.:] .*/, '.')]),
  ) as Record<T, string>

/** Numbers with a name and a meaning each, such as `{ 1: ['active', 'Can be used.'] }`. */
export function StatusCode(
  name: string,
  about: string,
  meanings: Record<number, readonly [name: string, meaning: string]>,
) {
  const codes = Object.keys(meanings).map(Number)
  const words = Object.values(meanings)
  return Type.Unsafe<number>({
    ...named(name),
    type: 'integer',
    enum: codes,
    description: `${about}${listMeanings(
      codes,
      words.map(([word, meaning]) => `${word}. ${meaning}`),
    )}`,
    'x-enum-varnames': words.map(([word]) => word.replaceAll(' ', '_')),
    'x-enum-descriptions': words.map(([, meaning]) => meaning),
  })
}

const listMeanings = (values: readonly (string | number)[], meanings: readonly string[]) =>
  values.map((value, i) => `\n- \`${value}\`: ${meanings[i]}`).join('')

export const OrganizationMode = Choice('OrganizationMode', 'Whether it is about real customers.', {
  live: 'A real organization.',
  test: 'A test organization: nothing in it is real, its clock can be set forward, and it can be deleted.',
})

export const ConsentSource = Choice('ConsentSource', 'Who told us.', {
  connection: 'An integration, such as a till.',
  person: 'A signed-in person.',
  message: 'The customer, with the link in a message.',
  enrollment: 'The customer, on the page of a campaign.',
  wallet: 'The customer, on the wallet page.',
  import: 'A file that was imported.',
})

export const CustomerStatus = StatusCode('CustomerStatus', 'Status of a customer.', {
  1: ['active', 'Can collect, redeem and spend.'],
  2: ['blocked', 'Sales with the loyalty program are refused until the customer is unblocked.'],
})

export const CardStatus = StatusCode('CardStatus', 'Status of a card.', {
  1: ['active', 'Can be used.'],
  2: ['blocked', 'Cannot be used until it is unblocked.'],
  3: ['replaced', 'Another card has taken its place.'],
  4: ['closed', 'Its customer was erased.'],
})

export const CouponStatus = StatusCode('CouponStatus', 'Status of a coupon.', {
  1: ['active', 'Can be redeemed.'],
  3: ['redeemed', 'Was used in a sale.'],
  4: ['expired', 'Is past its `expiresAt`.'],
  5: ['revoked', 'Was taken back, by hand or by a return.'],
})

export const TransactionStatus = StatusCode('TransactionStatus', 'Status of a transaction.', {
  1: ['processed', 'Nothing of it was returned.'],
  2: ['partly returned', 'A part of it was returned.'],
  3: ['returned', 'Everything was returned.'],
})

export const CampaignStatus = Choice('CampaignStatus', 'Status of a campaign.', {
  draft: 'Not published yet: nobody can register into it.',
  published: 'Runs, unless it has not started or has ended.',
  paused: 'Nobody can register and nothing is collected; redeeming and spending go on.',
  archived: 'Paused forever.',
})

export const RewardKind = Choice('RewardKind', 'What a coupon gives.', {
  free_product: 'One unit of one of its products is free.',
  amount_off: 'A fixed amount off.',
  percent_off: 'A percentage off, up to `maxAmount` if that is set.',
})

export const LedgerEntryKind = Choice('LedgerEntryKind', 'Why a balance changed.', {
  collect: 'A rule gave it in a sale.',
  spend: 'The customer paid with points.',
  consume: 'A threshold used it up for a coupon.',
  adjust: 'It was changed by hand.',
  expire: 'It expired.',
  return: 'A return took it back or gave it back.',
  opening: 'An import brought it along from another system.',
})

export const ImportKinds = Choice<ImportKind>('ImportKind', 'What the rows of a file are.', {
  customers: 'Customers, with their cards and opening balances.',
  products: 'Products of the directory.',
  branches: 'Branches of the directory.',
})

export const ImportProblemCode = Choice<ProblemCode>(
  'ImportProblemCode',
  'What is wrong with a row.',
  problemCodes,
)

export const SkipReason = Choice('SkipReason', 'Why a rule gave nothing.', skipReasons)

export const WarningCodes = Choice<WarningCode>(
  'WarningCode',
  'What is probably wrong. More codes may be added.',
  {
    discounts_disagree: '`discountAmount` and `discountedAmount` contradict each other.',
    amount_differs: 'The order amount is not the sum of the items.',
    coupon_discount_differs: 'Your discount is less than the coupons it includes are worth.',
    coupon_discount_elsewhere: 'A coupon was taken off, and your discounts are at another level.',
    empty_basket: 'Neither items nor an amount.',
    no_receipt_number: 'A sale without `opaqueId`.',
  },
)

export const Role = Choice('Role', 'What a person may do.', {
  owner: 'Everything.',
  manager: 'Everything except managing people.',
  cashier: 'What a till can do.',
})

export const PersonStatus = Choice('PersonStatus', 'Whether a person can sign in.', {
  invited: 'Has not chosen a password yet.',
  active: 'Can sign in.',
  blocked: 'Cannot sign in until unblocked.',
})

export const ConnectionStatus = Choice('ConnectionStatus', 'Whether a connection can be used.', {
  active: 'Can get tokens.',
  revoked: 'Ended forever, with all its tokens.',
})

const scopes = {
  pos: 'What a till needs: customers one at a time, cards, sales, returns, coupons.',
  manage: 'Everything else of the organization.',
}

export const Scope = Choice('Scope', 'What a connection may do.', scopes)

export const SessionScope = Choice('SessionScope', 'What a person may do with the API.', {
  ...scopes,
  people: 'Managing the people who can sign in.',
})

const callers = {
  connection: 'Software with an API key and secret.',
  person: 'A person who is signed in.',
}

export const CallerKind = Choice('CallerKind', 'Who made the request.', callers)

export const ActorKind = Choice('ActorKind', 'Who made the change.', {
  ...callers,
  operator: 'The operator of the service.',
  customer: 'The customer, such as with the link in a message.',
})

/** The words say what they mean. */
export const AuditSubjectKind = Type.String({
  enum: [
    ...['organization', 'connection', 'customer', 'card', 'campaign'],
    ...['coupon', 'product', 'branch', 'user', 'person', 'webhook', 'delivery', 'message'],
  ],
  description: 'What kind of object was changed.',
})

export const IntegrityProblemKind = Choice<Problem['kind']>('IntegrityProblemKind', 'What does not agree.', {
  balance: 'A balance with its ledger entries.',
  coupon: 'A coupon with the sales or the total it depends on.',
  report: 'A sum of the reports with the ledger.',
})

export const RequestOutcome = Choice('RequestOutcome', 'How a request ended.', {
  ok: 'It succeeded.',
  refused: 'It was refused (4xx).',
  failed: 'It failed (5xx).',
})

export const WebhookStatus = Choice('WebhookStatus', 'Whether events are sent.', {
  active: 'Events are sent.',
  paused: 'Nothing is sent. When it is resumed, it gets what happened meanwhile, as far as events are kept.',
})

export const PauseReason = Choice('PauseReason', 'Why a webhook is paused.', {
  manual: 'Somebody paused it.',
  failing: 'Every attempt failed for five days.',
  gone: 'Its address answered 410.',
})

export const WalletKinds = Choice<WalletKind>('WalletKind', 'A wallet on a phone.', {
  apple: 'Apple Wallet.',
  google: 'Google Wallet.',
})

export const DeliveryStatus = StatusCode('DeliveryStatus', 'Status of a delivery.', {
  1: ['pending', 'Is sent, or tried again, at `nextAttemptAt`.'],
  2: ['delivered', 'The receiver answered with 2xx.'],
  3: ['failed', 'Given up after ten attempts, or because the address is gone.'],
})

export const SourceKinds = Choice<SourceKind>('SourceKind', 'The system that sends.', {
  square: 'Square: a webhook subscription for orders.',
  shopify: 'Shopify: webhooks for orders and refunds.',
  json: 'Any other, with a mapping of its JSON.',
})

export const SourceStatus = Choice('SourceStatus', 'Whether what it sends is recorded.', {
  active: 'It is recorded.',
  paused: 'It is kept, and recorded when the source is resumed.',
})

export const SourceEnvironments = Choice<SourceEnvironment>(
  'SourceEnvironment',
  'Where orders of Square are fetched.',
  { production: 'From Square itself.', sandbox: "From Square's service for tests." },
)

export const ReceivedStatus = StatusCode('ReceivedStatus', 'Status of a received message.', {
  1: ['pending', 'Is recorded, or tried again, at `nextAttemptAt`.'],
  2: ['recorded', 'Became a transaction or a return.'],
  3: ['ignored', 'Nothing was to be recorded; `problem` tells why.'],
  4: ['failed', 'Could not be recorded; `problem` tells why.'],
})

export const Channels = Choice<Channel>('Channel', 'How a message is sent.', {
  email: 'By email, through your mail server.',
  sms: 'By SMS, through your provider.',
})

export const MessageKinds = Choice<MessageKind>('MessageKind', 'What a message is about.', {
  card_link: 'The link to the own card, when somebody asks for it.',
  verification_code: 'A code that confirms an address.',
  card_opened: 'A new card.',
  reward_earned: 'A coupon that was earned.',
  coupon_expiring: 'A coupon that expires soon.',
  points_expiring: 'Points that expire soon.',
  birthday: 'A birthday, by `metaData.birthday` (`1990-03-14` or `03-14`).',
  not_seen: 'A long absence.',
  invitation: 'An invitation to work with you.',
  password_reset: 'A new password for somebody who works with you.',
  webhook_paused: 'A webhook that was paused, to the owners.',
  test: 'A test of a sender.',
})

export const MessageStatus = StatusCode('MessageStatus', 'Status of a message.', {
  1: ['pending', 'Is sent, or tried again, at `nextAttemptAt`.'],
  2: ['sending', 'Is being sent.'],
  3: ['sent', 'The mail server or the provider has taken it.'],
  4: ['failed', 'Was refused, or given up.'],
  5: ['unknown', 'May have arrived: it is not sent again unless you ask for it.'],
  6: ['bounced', 'Was sent, and came back.'],
})

export const MessageFailures = Choice<MessageFailure>(
  'MessageFailure',
  'Why a message was not sent, or came back.',
  briefly(messageFailures),
)

export const MailSecurity = Choice('MailSecurity', 'How the connection to the mail server is encrypted.', {
  tls: 'From the first byte, usually on port 465.',
  starttls: 'With STARTTLS, usually on port 587; nothing is said before.',
  none: 'Not at all: only within a network that the operator has allowed.',
})

export const Languages = Choice('Language', 'A language.', {
  en: 'English.',
  de: 'German.',
  ar: 'Arabic.',
})
