import { Type } from 'typebox'
import { maxPasswordLength, minPasswordLength } from '../../operations/auth/passwords.ts'
import { named } from '../openapi/name-components.ts'
import { OrganizationMode, PersonStatus, Role, SessionScope } from './choices.ts'
import { invitationExample, personExample, sessionExample } from './examples.ts'
import { CreatedAt, Id, Optional, Text, Timestamp } from './fields.ts'
import { ConsentText, organizationFields } from './organization.ts'

export const PersonName = Text(200, { minLength: 1, description: 'The name that colleagues see.' })
export const Email = Text(254, {
  minLength: 1,
  format: 'person-email',
  description: 'The email address to sign in with.',
  examples: ['grace@example.com'],
})
/** A password to check. The rules for new passwords do not apply: it only has to match. */
export const GivenPassword = Text(1_000, { minLength: 1, description: 'The current password.' })
export const NewPassword = Text(maxPasswordLength, {
  minLength: minPasswordLength,
  description:
    'The new password. Must not be easy to guess, such as a frequent password or the email address.',
})

const person = {
  id: Id('psn'),
  email: Type.String({ description: 'The email address to sign in with.' }),
  name: Optional(Type.String({ description: 'The name that colleagues see.' })),
  role: Role,
}

export const PersonReply = Type.Object(
  {
    ...person,
    status: PersonStatus,
    lastSeenAt: Optional(Timestamp('When the person was last active, to the minute.')),
    createdAt: CreatedAt,
  },
  { ...named('Person'), examples: [personExample] },
)

export const InvitationReply = Type.Object(
  {
    url: Type.String({ description: 'Shown once, to share.' }),
    expiresAt: Timestamp('When the link stops working.'),
    emailed: Type.Boolean({ description: 'Whether it is sent to the person by email, too.' }),
  },
  { ...named('Invitation'), description: 'A link to choose a password with.', examples: [invitationExample] },
)

export const InvitedPersonReply = Type.Object(
  { ...PersonReply.properties, invitation: InvitationReply },
  {
    ...named('InvitedPerson'),
    examples: [{ ...personExample, invitation: invitationExample }],
  },
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
    person: Type.Object(person, { description: 'Who is signed in.' }),
    organization: Type.Object(
      {
        id: Id('org'),
        ...organizationFields,
        isDemo: Type.Boolean({ description: 'Whether this is the demo organization.' }),
        mode: OrganizationMode,
        aheadSeconds: Type.Number({ description: 'How far its clock is ahead; 0 in a live one.' }),
        consentText: Optional(ConsentText),
      },
      { description: 'The organization that the person works in.' },
    ),
    liveOrganization: Optional(
      Type.Object(
        { id: Id('org'), name: Type.String({ description: 'Its name.' }) },
        { description: 'The own organization of somebody who works in one of its test organizations.' },
      ),
    ),
    scopes: Type.Array(SessionScope, {
      description: 'What the role of the person allows.',
      examples: [['pos', 'manage', 'people']],
    }),
    user: Id('usr', 'The user that sales and changes of this person are recorded under.'),
    branch: Id('brn', 'The default branch of their sales.'),
    expiresAt: Timestamp('When the session expires unless it is used again.'),
  },
  { ...named('ConsoleSession'), examples: [sessionExample] },
)

export const PersonPath = Type.Object({ id: Id('psn') })
