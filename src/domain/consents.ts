/**
 * What a customer agreed to or refused, by purpose, and how that changed. A consent counts only if it can be
 * shown when and how it was given, so every change is kept with it.
 */

/** By purpose: `true` if given, `false` if refused or withdrawn. */
export type Consents = Readonly<Record<string, boolean>>

export interface ConsentChange {
  readonly purpose: string
  readonly given: boolean
  readonly at: Date
  /** Who told us. */
  readonly via: ConsentSource
  /** The words that the customer agreed to, where we know them. */
  readonly wording?: string
}

/** `enrollment` and `wallet`: the customer, on the page of a campaign or on that of a card. */
export type ConsentSource = 'connection' | 'person' | 'message' | 'enrollment' | 'wallet' | 'import'

const word = '[a-z][a-z0-9_-]{0,39}$'
/** A word in lower case: purposes are names that merchants choose, not texts. `history` is ours. */
export const purposePattern = `^(?!history$)${word}`
/** Every name that consents can have. Another is refused, also from a till: a consent must not get lost. */
export const consentNamePattern = `^${word}`
export const maxPurposes = 20
/** Older changes are dropped, except the latest of each purpose. */
const keptChanges = 50

/**
 * The purposes that were given or withdrawn, and which of both. A purpose that is removed was withdrawn if it was
 * given; if it was not, nothing has changed.
 */
export function changedConsents(
  before: Consents | undefined,
  after: Consents | undefined,
): [purpose: string, given: boolean][] {
  const old = new Map(Object.entries(before ?? {}))
  const current = new Map(Object.entries(after ?? {}))
  const removed = [...old].filter(([purpose, given]) => given && !current.has(purpose))
  return [
    ...removed.map(([purpose]): [string, boolean] => [purpose, false]),
    ...[...current].filter(([purpose, given]) => old.get(purpose) !== given),
  ]
}

export interface ConsentTold extends Pick<ConsentChange, 'at' | 'via'> {
  /** By purpose, what was agreed to. */
  readonly wordings?: Readonly<Record<string, string | undefined>>
}

/** The history after the consents have changed, oldest first. */
export function recordConsents(
  history: readonly ConsentChange[],
  before: Consents | undefined,
  after: Consents | undefined,
  { at, via, wordings }: ConsentTold,
): ConsentChange[] {
  const changed = changedConsents(before, after).map(([purpose, given]): ConsentChange => {
    const wording = given ? wordings?.[purpose] : undefined
    return { purpose, given, at, via, ...(wording !== undefined && { wording }) }
  })
  return bound([...history, ...changed])
}

function bound(history: ConsentChange[]): ConsentChange[] {
  if (history.length <= keptChanges) return history
  const latest = new Map(history.map((change) => [change.purpose, change]))
  return history.filter(
    (change, i) => i >= history.length - keptChanges || latest.get(change.purpose) === change,
  )
}
