/** Enrolling oneself: what the merchant sets, and what the public page shows and sends. */
import { Type } from 'typebox'
import { type EnrollmentMode, shortNamePattern } from '../../domain/enrollment.ts'
import type { Enrollment } from '../../operations/enrollment/manage-enrollment.ts'
import { named } from '../openapi/name-components.ts'
import { Choice } from './choices.ts'
import { Id, Optional } from './fields.ts'

const Mode = Choice<EnrollmentMode>('EnrollmentMode', 'Whether customers can enroll themselves.', {
  off: 'Nobody can.',
  open: 'Everybody can.',
  approval: 'Everybody can; the card is blocked until it is unblocked.',
})

const ShortName = Type.String({
  pattern: shortNamePattern,
  description:
    'Part of the URL: 3 to 40 lower-case letters, digits and dashes. When it changes, the old URL stops working.',
  examples: ['blue-cup'],
})

export const EnrollmentPatch = Type.Object(
  { shortName: Optional(ShortName), mode: Optional(Mode) },
  {
    ...named('EnrollmentPatch'),
    description: 'What is left out stays. The first short name is `suggestion`.',
    examples: [{ mode: 'open' }],
  },
)

export const EnrollmentReply = Type.Object(
  {
    id: Id('cmp'),
    mode: Mode,
    shortName: Optional(Type.String({ description: 'Part of the URL; absent if there is none yet.' })),
    url: Optional(Type.String({ description: 'Where customers enroll.' })),
    suggestion: Optional(Type.String({ description: 'A free short name; absent if there is one.' })),
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
