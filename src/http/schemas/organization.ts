import { Type } from 'typebox'
import { Optional } from './fields.ts'

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
