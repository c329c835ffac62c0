/**
 * Makes a message of its template when it is sent: whom it goes to, and what it says by then. A customer who has
 * been erased, has no address any more or has withdrawn the consent gets nothing.
 */
import { plainColor } from '../../domain/color.ts'
import {
  type Card,
  type Customer,
  type CustomerView,
  cardStatus,
  customerStatus,
} from '../../domain/customer.ts'
import { type CouponId, parseId } from '../../domain/ids.ts'
import { type Language, languageOfLocale } from '../../domain/language.ts'
import {
  type Channel,
  type Message,
  type MessageFailure,
  marketingPurpose,
  traitsOf,
} from '../../domain/message.ts'
import {
  type Footer,
  fillIn,
  type TemplateText,
  toHtml,
  type Values,
  withFooter,
} from '../../domain/message-text.ts'
import { modeOf, type Organization } from '../../domain/organization.ts'
import { findCoupon } from '../../store/coupons.ts'
import { findCustomerView } from '../../store/customers.ts'
import { findPerson } from '../../store/people.ts'
import { listTemplates } from '../../store/senders.ts'
import type { Tenant } from '../../store/tenant.ts'
import type { Deps } from '../deps.ts'
import { timeOf } from '../organizations/time-of.ts'
import { actionOf, defaultText, greetingOf, unsubscribeWordOf } from './default-texts.ts'

export interface ComposedMessage {
  readonly to: string
  readonly subject: string
  readonly text: string
  readonly html: string
  readonly headers: Readonly<Record<string, string>>
}

/** Why it is not sent. */
export interface NotSent {
  readonly because: MessageFailure
}

type Links = Pick<Deps, 'publicUrl' | 'walletTokens' | 'unsubscribeTokens'>

export async function composeMessage(
  deps: Deps,
  tenant: Tenant,
  organization: Organization,
  message: Message,
  secret: string | undefined,
): Promise<ComposedMessage | NotSent> {
  const found = await address(deps, tenant, organization, message, secret)
  if ('because' in found) return found
  const language = found.language ?? languageOfLocale(organization.locale)
  const template = await findText(tenant, message, language)
  return {
    to: found.to,
    ...render(template, {
      language,
      organization,
      values: {
        ...found.values,
        greeting: greetingOf(language, found.values.name),
        action: message.data.purpose && actionOf(language, message.data.purpose),
      },
      unsubscribeUrl: found.unsubscribeUrl,
    }),
  }
}

/** `secret` is what must not be read: the address of a test, a code or a link. */
async function address(
  deps: Deps,
  tenant: Tenant,
  organization: Organization,
  message: Message,
  secret: string | undefined,
): Promise<Addressed | NotSent> {
  const { to } = traitsOf(message.kind)
  if (message.kind === 'verification_code') return addressCode(deps, tenant, organization, message, secret)
  if (to === 'customer') return addressCustomer(deps, tenant, organization, message)
  if (to === 'person') return addressPerson(deps, tenant, message, secret)
  return secret === undefined ? { because: 'no_longer_kept' } : { to: secret, values: {} }
}

async function findText(
  tenant: Tenant,
  { kind, channel }: Pick<Message, 'kind' | 'channel'>,
  language: Language,
): Promise<TemplateText> {
  const own = (await listTemplates(tenant, kind)).find(
    (template) => template.channel === channel && template.language === language,
  )
  return own ?? defaultText(kind, channel, language)
}

export interface Rendering {
  readonly language: Language
  readonly organization: Pick<Organization, 'name' | 'color' | 'testOf'>
  readonly values: Values
  readonly unsubscribeUrl?: string
}

export function render(
  { subject = '', body }: TemplateText,
  { language, organization, values: given, unsubscribeUrl }: Rendering,
): Omit<ComposedMessage, 'to'> {
  const values = { merchant: organization.name, ...given }
  // A customer who gets it by mistake sees at once that it is not meant.
  const mark = modeOf(organization) === 'test' ? '[Test] ' : ''
  const text = `${mark}${fillIn(body, values)}`
  const footer: Footer | undefined =
    unsubscribeUrl === undefined ? undefined : { text: unsubscribeWordOf(language), url: unsubscribeUrl }
  return {
    // A line break would begin another header.
    subject: `${mark}${fillIn(subject, values)}`.replace(/[\r\n]+/g, ' '),
    text: withFooter(text, footer),
    html: toHtml(text, {
      language,
      direction: language === 'ar' ? 'rtl' : 'ltr',
      merchant: organization.name,
      color: organization.color ?? plainColor,
      footer,
    }),
    headers: unsubscribeUrl
      ? {
          'List-Unsubscribe': `<${unsubscribeUrl}>`,
          'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
        }
      : {},
  }
}

interface Addressed {
  readonly to: string
  /** That of the customer. */
  readonly language?: Language
  readonly values: Values
  readonly unsubscribeUrl?: string
}

/** Where a customer can be reached, if at all. */
export const addressIn = (
  { email, phone }: { readonly email?: string; readonly phone?: string },
  channel: Channel,
): string | undefined => (channel === 'email' ? email : phone)

/** Whether a message came back from there. */
export const hasBounced = (
  { emailBouncedAt, phoneBouncedAt }: Pick<Customer, 'emailBouncedAt' | 'phoneBouncedAt'>,
  channel: Channel,
): boolean => (channel === 'email' ? emailBouncedAt : phoneBouncedAt) !== undefined

async function addressCustomer(
  deps: Deps,
  tenant: Tenant,
  organization: Organization,
  message: Message,
): Promise<Addressed | NotSent> {
  const view =
    message.customer && (await findCustomerView(tenant, message.customer, timeOf(deps, organization)))
  if (!view) return { because: 'customer_erased' }
  const { customer } = view
  if (customer.status !== customerStatus.active) return { because: 'customer_blocked' }
  const to = addressIn(customer, message.channel)
  if (to === undefined) return { because: 'no_address' }
  if (hasBounced(customer, message.channel)) return { because: 'address_bounced' }
  const { isMarketing } = traitsOf(message.kind)
  if (isMarketing && customer.consents?.[marketingPurpose] !== true) {
    return { because: 'no_consent' }
  }
  const card = cardOf(view, message)
  if (!card) return { because: 'no_card' }
  const about = await valuesOf(tenant, organization, message)
  if (!about) return { because: 'coupon_over' }
  return {
    to,
    language: customer.language,
    values: {
      name: customer.fullname,
      campaign: card.campaignName,
      link: cardLink(deps, tenant, card, message),
      ...about,
    },
    unsubscribeUrl: isMarketing && unsubscribeUrl(deps, tenant, message),
  }
}

/** Goes to the address that is to be confirmed, which the customer may not have yet. */
async function addressCode(
  deps: Deps,
  tenant: Tenant,
  organization: Organization,
  message: Message,
  secret: string | undefined,
): Promise<Addressed | NotSent> {
  const view =
    message.customer && (await findCustomerView(tenant, message.customer, timeOf(deps, organization)))
  if (!view) return { because: 'customer_erased' }
  if (secret === undefined) return { because: 'no_longer_kept' }
  const { code, to }: { code: string; to: string } = JSON.parse(secret)
  const { fullname: name, language } = view.customer
  return { to, language, values: { name, code } }
}

/** The one that the message is about, or the first that can be used. */
function cardOf({ cards }: Pick<CustomerView, 'cards'>, { card: id }: Message): Card | undefined {
  const usable = cards.filter(
    ({ status, walletVersion }) => status === cardStatus.active && walletVersion > 0,
  )
  return usable.find((card) => card.id === id) ?? usable[0]
}

/** The message goes along, to know whether somebody followed the link. */
function cardLink(
  { publicUrl, walletTokens }: Links,
  { orgId }: Tenant,
  card: Card,
  { id }: Message,
): string {
  const token = walletTokens.create({ org: orgId, card: card.id, version: card.walletVersion })
  return `${publicUrl()}/w/${token}?m=${id.slice('msg_'.length)}`
}

function unsubscribeUrl({ publicUrl, unsubscribeTokens }: Links, { orgId }: Tenant, { customer }: Message) {
  return customer && `${publicUrl()}/u/${unsubscribeTokens.create({ org: orgId, customer })}`
}

/** Undefined if what the message is about is over. */
async function valuesOf(
  tenant: Tenant,
  organization: Organization,
  { data }: Message,
): Promise<Values | undefined> {
  const { timezone, locale } = organization
  const day = (at: string | Date) =>
    new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeZone: timezone }).format(new Date(at))
  if (data.coupon === undefined) {
    return { amount: data.amount, date: data.at === undefined ? undefined : day(data.at) }
  }
  const id: CouponId | undefined = parseId('cpn', data.coupon)
  const coupon = id && (await findCoupon(tenant, id))
  if (coupon?.status !== 1) return undefined
  return { reward: coupon.reward.name, date: coupon.expiresAt && day(coupon.expiresAt) }
}

async function addressPerson(
  { publicUrl }: Links,
  tenant: Tenant,
  { person: id, channel, data }: Message,
  secret: string | undefined,
): Promise<Addressed | NotSent> {
  const person = id && (await findPerson(tenant, id))
  if (!person) return { because: 'person_removed' }
  if (channel !== 'email') return { because: 'only_email' }
  // Whatever has to stay secret is the link itself.
  const link = secret ?? (data.url === undefined ? undefined : `${publicUrl()}/console/webhooks`)
  if (link === undefined) return { because: 'no_longer_kept' }
  return { to: person.email, values: { name: person.name, link, url: data.url } }
}
