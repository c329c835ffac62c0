import { Type } from 'typebox'
import { maxPasswordLength, minPasswordLength } from '../../operations/auth/passwords.ts'
import { named } from '../openapi/name-components.ts'
import { invitationExample, personExample, sessionExample } from './examples.ts'
import { Id, Optional, Text, Timestamp } from './fields.ts'

export const Role = Type.Union([Type.Literal('owner'), Type.Literal('manager'), Type.Literal('cashier')], {
  description:
    'An owner can do everything, a manager everything except manage people, and a cashier what a till can.',
})
export const PersonName = Text(200, { minLength: 1 })
export const Email = Text(254, { minLength: 1, format: 'person-email', examples: ['grace@example.com'] })
/** A password to check. The rules for new passwords do not apply: it only has to match. */
export const GivenPassword = Text(1_000, { minLength: 1 })
export const NewPassword = Text(maxPasswordLength, {
  minLength: minPasswordLength,
  description: 'Must not be the email address.',
})

const person = {
  id: Id('psn'),
  email: Type.String(),
  name: Optional(Type.String()),
  role: Role,
}

export const PersonReply = Type.Object(
  {
    ...person,
    status: Type.Union([Type.Literal('invited'), Type.Literal('active'), Type.Literal('blocked')], {
      description: '`invited` until the person has chosen a password.',
    }),
    lastSeenAt: Optional(Timestamp('When the person was last active, to the minute.')),
    createdAt: Timestamp(),
  },
  { ...named('Person'), examples: [personExample] },
)

export const InvitationReply = Type.Object(
  {
    url: Type.String({ description: 'Shown once. Share it yourself: the service sends no email.' }),
    expiresAt: Timestamp(),
  },
  { ...named('Invitation'), examples: [invitationExample] },
)

export const InvitedPersonReply = Type.Object(
  { ...PersonReply.properties, invitation: InvitationReply },
  { ...named('InvitedPerson'), examples: [{ ...personExample, invitation: invitationExample }] },
)

export const PersonBody = Type.Object(
  { email: Email, name: Optional(PersonName), role: Role },
  {
    ...named('NewPerson'),
    examples: [{ email: 'grace@example.com', name: 'Grace Hopper', role: 'manager' }],
  },
)

export const SessionReply = Type.Object(
  {
    person: Type.Object(person),
    organization: Type.Object({
      id: Id('org'),
      name: Type.String(),
      country: Type.String(),
      currency: Type.String(),
      timezone: Type.String(),
      locale: Type.String(),
      color: Optional(Type.String()),
      logo: Optional(Type.String()),
      isDemo: Type.Boolean(),
    }),
    scopes: Type.Array(Type.String(), { examples: [['pos', 'manage', 'people']] }),
    user: Id('usr', 'The user that sales and changes of this person are recorded under.'),
    branch: Id('brn', 'The default branch of their sales.'),
    expiresAt: Timestamp('When the session expires unless it is used again.'),
  },
  { ...named('Session'), examples: [sessionExample] },
)

export const PersonPath = Type.Object({ id: Id('psn') })
