import { type Aim, type Aimed, isMet, type ResultFile } from '../bench/aims.ts'
import { type Origin, readEntries, readResults } from '../bench/read-results.ts'
import { linkTo, originsText, rounded, seriesText, tableOf } from './figure-words.ts'

export const commands: Record<ResultFile, string> = {
  full: 'npm run bench',
  cost: 'npm run bench:cost',
  organizations: 'npm run bench:organizations',
  neighbors: 'npm run bench:neighbors',
  backup: 'npm run bench:backup',
  import: 'npm run bench:import',
}

/** Aims and results of each measurement, as a table. */
export function describeAims(aimed: readonly Aimed[]): string {
  const files = [...new Set(aimed.map(({ file }) => file))]
  return files
    .map((file) => {
      const rows = withoutRepetition(aimed.filter((each) => each.file === file).map(rowOf))
      return `${captionOf(file)}\n\n${tableOf(['', 'Aim', 'Result', '', 'Reason', 'Only a larger machine can show'], rows)}`
    })
    .join('\n\n')
}

/** A reason that is that of the row before is not worth reading again. */
function withoutRepetition(rows: readonly string[][]): string[][] {
  const prose = [4, 5]
  return rows.map((row, i) =>
    row.map((cell, column) =>
      prose.includes(column) && cell !== '' && rows[i - 1]?.[column] === cell ? 'as above' : cell,
    ),
  )
}

/** When and of what a file was measured; its command if nobody has measured it. */
export function captionOf(file: ResultFile): string {
  const results = readResults<{ entries?: Record<string, Origin> }>(file)
  if (!results) return `\`${commands[file]}\`:`
  const origins = results.entries ? Object.values(readEntries(file)) : [results]
  return `\`${commands[file]}\`, ${originsText(origins)} (${linkTo(file)}):`
}

function rowOf(each: Aimed): string[] {
  const { words, aim, unit, or, reason = '', larger = '' } = each
  const aims = [aimText(aim, unit), ...(or ? [aimText(or.aim, or.unit)] : [])].join(', or ')
  const [found, other] = [each.find(), or?.find()]
  if (!found) return [words, aims, '', 'not measured yet', '', larger]
  const results = [seriesText(found, unit), ...(other ? [seriesText(other, or!.unit)] : [])].join('; ')
  return isMissed(each)
    ? [words, aims, results, '**missed**', reason, larger]
    : [words, aims, results, 'met', '', larger]
}

/** Whether it has been measured, and nothing of it was reached. */
export function isMissed({ find, aim, or }: Aimed): boolean {
  const [found, other] = [find(), or?.find()]
  return found !== undefined && !isMet(found.median, aim) && !(other && isMet(other.median, or!.aim))
}

function aimText({ kind, value }: Aim, unit = ''): string {
  return `${kind} ${rounded(value)}${unit && ` ${unit}`}`
}
