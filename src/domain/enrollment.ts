/** The public page of a campaign, where customers enroll themselves. */
import type { CampaignId } from './ids.ts'
import { spellingsOf } from './name-key.ts'

/** `approval`: cards are blocked until staff has approved them. */
export type EnrollmentMode = 'off' | 'open' | 'approval'

export interface EnrollmentPage {
  /** Part of the URL, and therefore unique in the installation. */
  readonly shortName: string
  readonly campaign: CampaignId
  readonly mode: EnrollmentMode
}

/** Lower-case letters and digits, with dashes between them; short enough to be typed from a poster. */
export const shortNamePattern = '^[a-z0-9][a-z0-9-]{1,38}[a-z0-9]$'
const maxLength = 40
/** Room for `-2`, or for something that nobody else has. */
const suffixLength = 7

/** Names made of those of the organization and the campaign, the nicest first. The last is hardly ever taken. */
export function suggestShortNames(organization: string, campaign: string, id: CampaignId): string[] {
  const own = id.slice(-(suffixLength - 1))
  const both = wordsOf(`${organization} ${campaign}`)
  const base = [both, wordsOf(organization)].find((words) => words.length >= 3) ?? 'card'
  const stem = cut(base, maxLength - suffixLength)
  return [cut(base, maxLength), `${stem}-2`, `${stem}-3`, `${stem}-${own}`]
}

/** What can be written with plain letters; nothing is left of a name in another script. */
function wordsOf(text: string): string {
  const plain = spellingsOf(text).at(-1) ?? ''
  return (plain.match(/[a-z0-9]+/g) ?? []).join('-')
}

const cut = (words: string, length: number) => words.slice(0, length).replace(/-+$/, '')
