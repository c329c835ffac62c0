/** Tables for a terminal: aligned by what people see, cut to its width, and without anything that would steer it. */

export interface TableOptions {
  /** Width of the terminal; without one, nothing is cut. */
  readonly columns?: number | undefined
  /** How the titles are shown. */
  styleHead?(text: string): string
}

const gap = '  '
const shortest = 6

/** A table whose columns are as wide as their widest value. */
export function toTable(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  { columns, styleHead = (text) => text }: TableOptions = {},
): string {
  const cells = [head, ...rows].map((row) => row.map(toPlain))
  const widths = head.map((_, i) => Math.max(...cells.map((row) => widthOf(row[i] ?? ''))))
  if (columns !== undefined) narrow(widths, cells, columns)
  return cells
    .map((row) =>
      row
        .map((cell, i) => pad(cut(cell, widths[i] ?? 0), widths[i] ?? 0))
        .join(gap)
        .trimEnd(),
    )
    .map((line, i) => (i === 0 ? styleHead(line) : line))
    .join('\n')
}

/** IDs are there to be copied, so that only columns without one are made narrower: the widest first. */
function narrow(widths: number[], cells: readonly (readonly string[])[], columns: number): void {
  const canBeCut = widths.map((_, i) => !cells.some((row) => isId(row[i] ?? '')))
  const total = () => widths.reduce((sum, width) => sum + width, 0) + gap.length * (widths.length - 1)
  while (total() > columns) {
    const widest = Math.max(...widths.filter((_, i) => canBeCut[i]), 0)
    if (widest <= shortest) return
    widths[widths.findIndex((width, i) => canBeCut[i] && width === widest)] = widest - 1
  }
}

const isId = (text: string) => /^[a-z]{2,4}_[0-9a-z]{16,}$/i.test(text)

/** What somebody has typed as a name must not move the cursor, change colors or turn the line around. */
export const toPlain = (text: string): string =>
  text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ').replace(/[\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g, '')

const pad = (text: string, width: number) => text + ' '.repeat(Math.max(0, width - widthOf(text)))

export function cut(text: string, width: number): string {
  if (widthOf(text) <= width) return text
  let kept = ''
  for (const { segment } of graphemes.segment(text)) {
    if (widthOf(kept + segment) > width - 1) break
    kept += segment
  }
  return `${kept}…`
}

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' })
// Unicode's East Asian Width W and F, as far as names and emoji are concerned.
const wide =
  /^[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{1b000}-\u{1b2ff}\u{20000}-\u{3fffd}]/u
const emoji = /^\p{Emoji_Presentation}|^\p{Extended_Pictographic}\ufe0f|^\p{Regional_Indicator}/u
const invisible = /^[\p{Mn}\p{Me}\p{Cf}\p{Cc}]+$/u

/** How many columns of a terminal a text takes. */
export function widthOf(text: string): number {
  // Most texts, and cheap to recognize.
  if (/^[\x20-\x7e]*$/.test(text)) return text.length
  let width = 0
  for (const { segment } of graphemes.segment(text)) {
    if (invisible.test(segment)) continue
    width += wide.test(segment) || emoji.test(segment) ? 2 : 1
  }
  return width
}

/** Lines of a name and a value; those without a value are left out. */
export function toFields(fields: readonly (readonly [string, string | undefined])[]): string {
  const shown = fields.filter((field): field is readonly [string, string] => field[1] !== undefined)
  const width = Math.max(...shown.map(([name]) => widthOf(name)), 0)
  return shown.map(([name, value]) => `${pad(name, width)}${gap}${toPlain(value)}`).join('\n')
}
