/** What the page shows on which customers enroll themselves, and what it sends. */
import { Type } from 'typebox'
import { plainColor } from '../../domain/color.ts'
import { languages } from '../../domain/language.ts'
import { fromUnits } from '../../domain/money.ts'
import { modeOf } from '../../domain/organization.ts'
import type { OpenPage } from '../../operations/enrollment/open-page.ts'
import { Optional, Text } from './fields.ts'

/** Other properties are refused: what is not known is not recorded. */
const closed = { additionalProperties: false }

const contact = {
  email: Optional(Text(254, { minLength: 1, format: 'customer-email' })),
  phone: Optional(Text(64, { minLength: 1 })),
}
const proof = {
  challenge: Text(100, { minLength: 1 }),
  nonce: Text(200, { minLength: 1 }),
}

export const ApplicantBody = Type.Object(
  {
    fullname: Text(200, { minLength: 1 }),
    ...contact,
    consents: Optional(Type.Object({ marketing: Optional(Type.Boolean()) }, closed)),
    language: Type.Unsafe<(typeof languages)[number]>({ enum: [...languages] }),
    ...proof,
  },
  closed,
)

export const LostLinkBody = Type.Object({ ...contact, ...proof }, closed)

const mostRewards = 3

export function toOfferReply(open: OpenPage, challenge: { readonly text: string; readonly bits: number }) {
  const { organization, campaign, page, isOpen, senders, consent } = open
  const { name, color = plainColor, logo, locale, contact: known } = organization
  return {
    organization: {
      name,
      color,
      logo,
      locale,
      termsUrl: known.termsUrl,
      privacyUrl: known.privacyUrl,
      mode: modeOf(organization),
    },
    campaignName: campaign.name,
    rewards: rewardsOf(open),
    isOpen,
    needsApproval: page.mode === 'approval',
    channels: [...senders],
    consent,
    challenge,
  }
}

/** The first rewards that can be earned, with what they take: the lowest of each balance first. */
function rewardsOf({ campaign: { compiled } }: OpenPage) {
  const balances = new Map(compiled.balances.map((balance) => [balance.key, balance]))
  return compiled.thresholds
    .toSorted((a, b) => a.at - b.at)
    .slice(0, mostRewards)
    .map(({ key, at, grant }) => {
      const balance = balances.get(key)
      return {
        name: grant.reward.name,
        needed: fromUnits(at, balance?.decimals ?? 0),
        balanceName: balance?.name ?? key,
      }
    })
}
