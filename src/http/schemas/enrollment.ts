/** Enrolling oneself: what the merchant sets, and what the public page shows and sends. */
import { Type } from 'typebox'
import { type EnrollmentMode, shortNamePattern } from '../../domain/enrollment.ts'
import type { Enrollment } from '../../operations/enrollment/manage-enrollment.ts'
import { named } from '../openapi/name-components.ts'
import { Choice } from './choices.ts'
import { Id, Optional } from './fields.ts'

const Mode = Choice<EnrollmentMode>('EnrollmentMode', 'Whether customers can enroll themselves.', {
  off: 'Nobody can: the page says that enrolling is closed.',
  open: 'Everybody can, and use the card at once.',
  approval: 'Everybody can; the card is blocked until you approve it by unblocking it.',
})

const ShortName = Type.String({
  pattern: shortNamePattern,
  description:
    'Part of the URL: 3 to 40 lower-case letters, digits and dashes, unique among all organizations. With ' +
    'another name the old URL, and every poster with it, stops working.',
  examples: ['blue-cup'],
})

export const EnrollmentPatch = Type.Object(
  { shortName: Optional(ShortName), mode: Optional(Mode) },
  {
    ...named('EnrollmentPatch'),
    description: 'What is left out stays. Without a short name, the first change takes `suggestion`.',
    examples: [{ mode: 'open' }],
  },
)

export const EnrollmentReply = Type.Object(
  {
    id: Id('cmp'),
    mode: Mode,
    shortName: Optional(Type.String({ description: 'Name of the page; absent if there is none yet.' })),
    url: Optional(
      Type.String({
        description: 'Where customers enroll, also as a QR code. Open while the campaign is published.',
      }),
    ),
    suggestion: Optional(Type.String({ description: 'A free short name, if there is none yet.' })),
  },
  {
    ...named('Enrollment'),
    examples: [
      {
        id: 'cmp_01890a5d6c7e7f3a8b2c3d4e5f607182',
        mode: 'open' as const,
        shortName: 'blue-cup',
        url: 'https://loyalty.example.com/j/blue-cup',
      },
    ],
  },
)

export const toEnrollmentReply =
  (publicUrl: string) =>
  ({ campaign, mode, shortName, suggestion }: Enrollment) => ({
    id: campaign,
    mode,
    shortName,
    url: shortName === undefined ? undefined : `${publicUrl}/j/${shortName}`,
    suggestion,
  })
