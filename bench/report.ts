/** Results: a table of ratios with their targets and a chart for people; `save-results.ts` writes them for programs. */
import { type Aim, isMet } from './aims.ts'
import type { Series } from './read-results.ts'

export interface Line extends Series {
  readonly name: string
  readonly aim?: Aim
}

/** What was measured by name, in rounds. */
export type Samples = Map<string, number[]>

export function note(samples: Samples, name: string, value: number): void {
  samples.set(name, [...(samples.get(name) ?? []), value])
}

/** The median of each series, its lowest and highest value, and all of them. */
export function summaryOf(samples: Samples): Record<string, Series> {
  return Object.fromEntries([...samples].map(([name, values]) => [name, seriesOf(values)]))
}

export function seriesOf(values: readonly number[]): Series {
  return { median: median(values), spread: spread(values), values }
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}

export function spread(values: readonly number[]): [number, number] {
  return [Math.min(...values), Math.max(...values)]
}

export function table(lines: readonly Line[], figures: Record<string, number[]>, tool: string): string {
  const rows = lines.map((line) => [
    line.name,
    short(line.median),
    line.spread.map(short).join(' … '),
    line.aim ? `${line.aim.kind === 'at least' ? '≥' : '≤'} ${line.aim.value}` : '',
    line.aim ? (isMet(line.median, line.aim) ? 'met' : 'MISSED') : '',
  ])
  const all = [['ratio', 'median', 'spread', 'target', ''], ...rows]
  const widths = all[0]!.map((_, column) => Math.max(...all.map((row) => row[column]!.length)))
  const text = all.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column]!))
      .join('  ')
      .trimEnd(),
  )
  const plain = Object.entries(figures).map(([name, values]) => `${name}: ${short(median(values))}`)
  return [
    ...text,
    '',
    ...plain,
    '',
    `The raw function was called by ${tool === 'pgbench' ? 'pgbench' : 'the driver, since pgbench is not installed'}.`,
  ].join('\n')
}

function short(value: number): string {
  return value >= 100 ? Math.round(value).toLocaleString('en') : value.toFixed(2)
}

/** One bar per ratio, as a share of its target: to the right of the line is good. */
export function plot(lines: readonly Line[]): string {
  const shown = lines.filter((line) => line.aim)
  const height = 40 + shown.length * 28
  const bars = shown.map((line, i) => {
    const { aim } = line
    const share = Math.min(2, aim!.kind === 'at least' ? line.median / aim!.value : aim!.value / line.median)
    const y = 30 + i * 28
    const color = isMet(line.median, aim!) ? '#2f9e44' : '#e03131'
    return `<text x="290" y="${y + 14}" text-anchor="end">${escapeXml(line.name)}</text>
<rect x="300" y="${y}" width="${Math.round(share * 200)}" height="18" rx="3" fill="${color}"/>
<text x="${310 + Math.round(share * 200)}" y="${y + 14}">${short(line.median)}</text>`
  })
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 800 ${height}" font-family="system-ui, sans-serif" font-size="13">
<rect width="800" height="${height}" fill="#fff"/>
<line x1="500" y1="20" x2="500" y2="${height - 10}" stroke="#868e96" stroke-dasharray="4 3"/>
<text x="500" y="14" text-anchor="middle" fill="#495057">target</text>
${bars.join('\n')}
</svg>
`
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
}
