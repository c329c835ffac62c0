import { Type } from 'typebox'
import { maxPasswordLength, minPasswordLength } from '../../operations/auth/passwords.ts'
import { named } from '../openapi/name-components.ts'
import { invitationExample, personExample, sessionExample } from './examples.ts'
import { Id, Optional, Text, Timestamp } from './members.ts'

export const Role = Type.Union([Type.Literal('owner'), Type.Literal('manager'), Type.Literal('cashier')], {
  description: 'An owner may do everything, a manager everything but people, a cashier what a till may.',
})
export const PersonName = Text(200, { minLength: 1 })
export const Email = Text(254, { minLength: 1, format: 'person-email', examples: ['grace@example.com'] })
/** Of any content: what it is compared with decides. */
export const GivenPassword = Text(1_000, { minLength: 1 })
export const NewPassword = Text(maxPasswordLength, {
  minLength: minPasswordLength,
  description: 'Not the e-mail address.',
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
      description: 'Invited until a password was chosen.',
    }),
    lastSeenAt: Optional(Timestamp('To the minute.')),
    createdAt: Timestamp(),
  },
  { ...named('Person'), examples: [personExample] },
)

export const InvitationReply = Type.Object(
  {
    url: Type.String({ description: 'Shown once. Hand it over yourself: we send no mail.' }),
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
    user: Id('usr', 'The user that what this person sells or changes is booked under.'),
    branch: Id('brn', 'Where that is, unless a call names another branch.'),
    expiresAt: Timestamp('If it is not used again before.'),
  },
  { ...named('Session'), examples: [sessionExample] },
)

export const PersonPath = Type.Object({ id: Id('psn') })
