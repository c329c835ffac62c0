/** Results: a table of ratios with their targets and a chart for people, and a file for other programs. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { cpus, totalmem } from 'node:os'
import { join } from 'node:path'
import { packageRoot } from '../src/package-root.ts'

export interface Line {
  readonly name: string
  readonly median: number
  readonly spread: readonly [low: number, high: number]
  readonly aim?: Aim
}

export interface Aim {
  readonly kind: 'at least' | 'at most'
  readonly value: number
}

const atLeast = (value: number): Aim => ({ kind: 'at least', value })
const atMost = (value: number): Aim => ({ kind: 'at most', value })

export const aims: Record<string, Aim> = {
  'process ÷ raw function': atLeast(1),
  'process ÷ empty POST': atLeast(0.4),
  'one customer ÷ spread': atLeast(0.3),
  'validate ÷ empty POST': atLeast(0.5),
  'find ÷ empty POST': atLeast(0.5),
  'p50 one client, grouped ÷ alone': atMost(1.3),
  'p50 one client ÷ raw call': atMost(1.5),
  'large database ÷ small': atLeast(0.8),
  'p50 1,000 rules ÷ 10': atMost(2),
  'p50 100 lines ÷ 1': atMost(10),
  'p99 ÷ p50 at half rate': atMost(10),
  'stored bytes per basket': atMost(1_500),
  'WAL bytes per basket': atMost(2_500),
  'memory late ÷ early': atMost(1.2),
  'memory MB': atMost(300),
}

/** Writes `results/<name>.json`, with the machine that it was measured on. */
export function saveResults(name: string, results: object): void {
  const folder = join(packageRoot, 'bench/results')
  mkdirSync(folder, { recursive: true })
  const machine = {
    processor: process.arch,
    cores: cpus().length,
    memoryGb: Math.round(totalmem() / 2 ** 30),
    node: process.version,
  }
  writeFileSync(join(folder, `${name}.json`), `${JSON.stringify({ machine, ...results }, undefined, 2)}\n`)
}

export function readResults(name: string): Record<string, unknown> {
  try {
    return JSON.parse(readFileSync(join(packageRoot, `bench/results/${name}.json`), 'utf8'))
  } catch {
    return {}
  }
}

/** The median of each series, and its lowest and highest value. */
export function summaryOf(samples: ReadonlyMap<string, readonly number[]>) {
  return Object.fromEntries(
    [...samples].map(([name, values]) => [name, { median: median(values), spread: spread(values) }]),
  )
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}

export function spread(values: readonly number[]): [number, number] {
  return [Math.min(...values), Math.max(...values)]
}

export function isMet({ median: value, aim }: Line): boolean {
  return !aim || (aim.kind === 'at least' ? value >= aim.value : value <= aim.value)
}

export function table(lines: readonly Line[], figures: Record<string, number[]>, tool: string): string {
  const rows = lines.map((line) => [
    line.name,
    short(line.median),
    line.spread.map(short).join(' … '),
    line.aim ? `${line.aim.kind === 'at least' ? '≥' : '≤'} ${line.aim.value}` : '',
    line.aim ? (isMet(line) ? 'met' : 'MISSED') : '',
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
    const color = isMet(line) ? '#2f9e44' : '#e03131'
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
