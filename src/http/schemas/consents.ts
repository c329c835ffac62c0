/** What a customer agreed to, in requests and responses. */
import { type TSchema, Type } from 'typebox'
import { consentNamePattern, maxPurposes, purposePattern } from '../../domain/consents.ts'
import { ConsentSource } from './choices.ts'
import { Nullable, Optional, Timestamp } from './fields.ts'

const aboutPurposes =
  'True or false by purpose, such as `marketing`: a word in lower case of up to 40 letters, digits, dashes and ' +
  `underscores. At most ${maxPurposes} purposes.`

const aboutGiven = { description: 'Whether the customer agreed to it.' }

/** Ignored in requests, so that the consents of a response can be sent back. */
const SentHistory = Type.Unsafe<unknown>({
  readOnly: true,
  description: 'Ignored: the service writes the history.',
})

const consentsSent = (given: TSchema) => ({
  type: 'object',
  properties: { marketing: given, history: SentHistory },
  patternProperties: { [purposePattern]: given },
  propertyNames: { pattern: consentNamePattern },
  description: aboutPurposes,
  examples: [{ marketing: true }],
})

export const NewConsents = Type.Unsafe<Record<string, boolean>>(consentsSent(Type.Boolean(aboutGiven)))
export const ConsentsPatch = Type.Unsafe<Record<string, boolean | null>>(
  consentsSent(Nullable(Type.Boolean(), `${aboutGiven.description} \`null\` removes what was known.`)),
)

/** Other properties have no type: that of the purposes would be that of the history as well. */
export const Consents = Type.Unsafe<Record<string, unknown>>({
  type: 'object',
  required: ['history'],
  properties: {
    marketing: Type.Boolean({ description: 'Whether the customer may be sent offers.' }),
    history: Type.Array(
      Type.Object({
        purpose: Type.String({ description: 'What was agreed to, such as `marketing`.' }),
        given: Type.Boolean({ description: 'False if refused or withdrawn.' }),
        at: Timestamp('When it was given or withdrawn.'),
        via: ConsentSource,
        wording: Optional(
          Type.String({ description: 'The words that the customer agreed to, if they are known.' }),
        ),
      }),
      { description: 'When each consent was given or withdrawn, oldest first; the latest 50 changes.' },
    ),
  },
  additionalProperties: true,
  description: 'What the customer agreed to: true or false by purpose, and how that came about.',
})
