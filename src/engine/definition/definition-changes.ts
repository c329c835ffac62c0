/**
 * What changed between two versions of a campaign, field by field, at the places a merchant would name:
 * rules, rewards, balances and tiers are matched by their id or key, so that moving one does not change all
 * of them.
 */
export interface Change {
  /** Such as `rules[base].points`. */
  readonly place: string
  /** Absent when it was added. */
  readonly before?: unknown
  /** Absent when it was removed. */
  readonly after?: unknown
}

export function definitionChanges(before: unknown, after: unknown): Change[] {
  const changes: Change[] = []
  compare('', before, after, changes)
  return changes
}

function compare(place: string, before: unknown, after: unknown, changes: Change[]): void {
  const old = entriesOf(before)
  const now = entriesOf(after)
  if (!old || !now || old.isList !== now.isList) {
    if (JSON.stringify(before) !== JSON.stringify(after)) {
      changes.push({ place, ...(before !== undefined && { before }), ...(after !== undefined && { after }) })
    }
    return
  }
  for (const name of new Set([...old.entries.keys(), ...now.entries.keys()])) {
    const inner = now.isList ? `${place}[${name}]` : place ? `${place}.${name}` : name
    compare(inner, old.entries.get(name), now.entries.get(name), changes)
  }
}

/**
 * The properties of an object or the items of a list of named things; anything else is compared as a whole.
 */
function entriesOf(value: unknown): { isList: boolean; entries: Map<string, unknown> } | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  if (!Array.isArray(value)) return { isList: false, entries: new Map(Object.entries(value)) }
  const names = value.map(nameOf)
  const areNamed = names.every((name) => name !== undefined) && new Set(names).size === names.length
  return areNamed && value.length > 0
    ? { isList: true, entries: new Map(value.map((item, i) => [names[i]!, item])) }
    : undefined
}

function nameOf(item: unknown): string | undefined {
  if (typeof item !== 'object' || item === null) return undefined
  const { id, key, grant, balance, at } = item as Record<string, unknown>
  if (typeof id === 'string') return id
  if (typeof key === 'string') return key
  // A threshold has no name of its own; its balance, amount and reward identify it.
  return grant === undefined ? undefined : `${balance} at ${at}: ${grant}`
}
