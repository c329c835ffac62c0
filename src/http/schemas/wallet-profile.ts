/** What customers send and get on the wallet page when they change something about themselves. */
import { Type } from 'typebox'
import type { OwnPurpose } from '../../operations/wallet-page/own-profile.ts'
import { Channels, Languages } from './choices.ts'
import { Optional, Text } from './fields.ts'

const Purposes = Type.Unsafe<OwnPurpose | 'contact'>(
  Type.String({ enum: ['contact', 'change', 'download', 'erase'] }),
)

export const CodeRequestBody = Type.Object({
  purpose: Purposes,
  channel: Channels,
  /** A new address, only for the purpose `contact`. */
  address: Optional(Text(254)),
})

/** With spaces, as people copy it. */
const Code = Text(20, { minLength: 1 })

export const CodeBody = Type.Object({ channel: Channels, code: Code })

export const OwnProfileBody = Type.Object({
  fullname: Optional(Text(255)),
  language: Optional(Languages),
  consents: Optional(
    Type.Unsafe<Record<string, boolean>>({ type: 'object', additionalProperties: { type: 'boolean' } }),
  ),
  shownIn: Optional(Languages),
})
