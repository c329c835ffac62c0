import { Type } from 'typebox'
import type { OrganizationContact as Contact } from '../../domain/organization.ts'
import { named } from '../openapi/name-components.ts'
import { Nullable, Optional, Text } from './fields.ts'

/** What an organization is called and how it writes money, times and its name. */
export const organizationFields = {
  name: Type.String({ description: 'The name that customers know.', examples: ['Blue Cup'] }),
  country: Type.String({
    description: 'ISO 3166-1 code; also the region of national phone numbers.',
    examples: ['US'],
  }),
  currency: Type.String({ description: 'ISO 4217 code of all amounts of money.', examples: ['USD'] }),
  timezone: Type.String({
    description: 'IANA name; days and times of day refer to it.',
    examples: ['America/New_York'],
  }),
  locale: Type.String({
    description: 'BCP 47 tag of the language that customers are addressed in.',
    examples: ['en'],
  }),
  color: Optional(
    Type.String({ description: 'The color of cards and pages, as `#rrggbb`.', examples: ['#0b7285'] }),
  ),
  logo: Optional(Type.String({ description: 'An https URL or a data URL.' })),
}

const url = { pattern: '^https?://[^\\s]+$' }
const aboutContact = {
  address: Text(500, { description: 'The postal address, in lines.' }),
  openingHours: Text(1000, { description: 'When it is open, in lines.' }),
  phone: Text(64, { description: 'For questions.' }),
  email: Text(254, { description: 'For questions.' }),
  website: Text(2000, { ...url, description: 'The website.' }),
  termsUrl: Text(2000, { ...url, description: 'The terms of the program.' }),
  privacyUrl: Text(2000, { ...url, description: 'The privacy policy.' }),
  consentText: Text(1000, { description: 'What customers agree to who want offers. Ours without it.' }),
}

/** For pages on which staff ask for the consent. */
export const ConsentText = Type.String({
  description:
    'What customers agree to who want offers, in the words of the merchant; absent if there are none.',
  examples: ['Blue Cup may send me offers by email. I can stop them at any time.'],
})

const contactFields = Object.entries(aboutContact)
const aboutPatched = 'The new one, or `null`.'

export const OrganizationContact = Type.Unsafe<Contact>(
  Type.Object(Object.fromEntries(contactFields.map(([name, field]) => [name, Optional(field)])), {
    ...named('OrganizationContact'),
    description: 'What customers are told about the merchant.',
  }),
)

export const OrganizationContactPatch = Type.Unsafe<{ [K in keyof Contact]?: string | null }>(
  Type.Object(
    Object.fromEntries(contactFields.map(([name, field]) => [name, Optional(Nullable(field, aboutPatched))])),
    {
      ...named('OrganizationContactPatch'),
      description: 'The fields to change: `null` removes one, and what is left out stays.',
    },
  ),
)
