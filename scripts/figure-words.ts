/** How figures of `bench/results/` are written in documents. */
import type { Found } from '../bench/aims.ts'
import type { Origin } from '../bench/read-results.ts'

export function rounded(value: number): string {
  const digits = value >= 100 || Number.isInteger(value) ? 0 : value >= 10 ? 1 : 2
  return value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits })
}

/** The median of the rounds, and their lowest and highest. */
export function seriesText({ median, spread }: Found, unit = ''): string {
  const ending = unit === '' ? '' : ` ${unit}`
  const range = spread && spread[0] < spread[1] ? ` (${spread.map(rounded).join(' to ')})` : ''
  return `${rounded(median)}${ending}${range}`
}

export function tableOf(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `|${cells.map((cell) => (cell === '' ? ' ' : ` ${cell} `)).join('|')}|`
  return [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line)].join('\n')
}

export function dayOf({ measuredAt }: Pick<Origin, 'measuredAt'>): string {
  return new Date(measuredAt).toLocaleDateString('en-GB', { dateStyle: 'long', timeZone: 'UTC' })
}

/** Days, commits and machines of the runs that a table is made of. */
export function originsText(origins: readonly Origin[]): string {
  const runs = distinct(origins.map(dayOf)).map((day) => {
    const commits = distinct(origins.filter((origin) => dayOf(origin) === day).map(commitOf))
    return `on ${day}, ${new Intl.ListFormat('en-GB').format(commits)}`
  })
  const machines = origins.map(({ machine: { cores, processor, model, memoryGb } }) => {
    const names = [processor, model].filter((name) => name !== undefined).join(', ')
    const memory = memoryGb === undefined ? '' : ` and ${memoryGb} GB of memory`
    return `${cores} cores${names && ` (${names})`}${memory}`
  })
  return [...runs, ...distinct(machines)].join('; ')
}

function commitOf({ commit, isTreeChanged }: Origin): string {
  const words = commit.includes(' ') ? commit : `commit ${commit}`
  return isTreeChanged ? `${words} with changes` : words
}

export const distinct = (texts: readonly string[]) => [...new Set(texts)]

export const linkTo = (file: string) => `[results](../../bench/results/${file}.json)`

export const notYet = (command: string) => `Not measured yet: \`${command}\` does it.`
