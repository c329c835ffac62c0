/** The pictures of a pass: stamps or a bar of progress, and an icon in the merchant's color. */
import QuickLRU from 'quick-lru'
import { inkOn, mix, toRgb } from '../../domain/color.ts'
import { type Box, createPicture, disk, line, type Picture, paint, ring, slab, toPng } from './picture.ts'

export interface Progress {
  readonly have: number
  readonly need: number
}

export interface StripOptions extends Progress {
  readonly color: string
  /** Pixels per point. */
  readonly scale: number
}

/** With more stamps than this, a progress bar is easier to read; the wallet page uses the same number. */
export const mostStamps = 20
/** Size of the strip of a store card, in points. */
const strip = { width: 375, height: 123 }

/** Drawing takes milliseconds, and most cards of a merchant look like another; up to twice as many are kept. */
const drawn = new QuickLRU<string, Buffer>({ maxSize: 100 })

export const isStamps = ({ need }: Progress): boolean => Number.isInteger(need) && need <= mostStamps

export function drawStrip({ have, need, color, scale }: StripOptions): Buffer {
  const filled = Math.max(0, Math.min(have, need))
  // A bar is drawn in a hundred steps, of which many cards share one.
  const shown = isStamps({ have, need })
    ? [Math.floor(filled), need]
    : [Math.floor((filled / need) * 100), 100]
  const key = [...shown, color, scale].join(' ')
  const known = drawn.get(key)
  if (known) return known
  const ink = toRgb(inkOn(color))
  const picture = createPicture(strip.width * scale, strip.height * scale)
  if (isStamps({ have, need })) paintStamps(picture, filled, need)
  else paintBar(picture, shown[0]! / 100)
  const png = toPng(picture, mix(toRgb(color), ink, 0.1), ink)
  drawn.set(key, png)
  return png
}

/** Shares of the ink. */
const [none, faint, half, full] = [0, 0.25, 0.55, 1]

const around = (cx: number, cy: number, radius: number): Box => ({
  left: cx - radius - 1,
  top: cy - radius - 1,
  right: cx + radius + 1,
  bottom: cy + radius + 1,
})

function paintStamps(picture: Picture, have: number, need: number): void {
  const { width, height } = picture
  const rows = need <= 5 ? 1 : 2
  const columns = Math.ceil(need / rows)
  const cell = Math.min(width / (columns + 0.5), height / (rows + 0.3))
  const radius = cell * 0.38
  for (let i = 0; i < need; i++) {
    const column = i % columns
    const cx = width / 2 + (column - (columns - 1) / 2) * cell
    const cy = height / 2 + (Math.floor(i / columns) - (rows - 1) / 2) * cell
    const box = around(cx, cy, radius)
    if (i < Math.floor(have)) {
      paint(picture, disk(cx, cy, radius), box, full)
      const mark = radius * 0.26
      const [x1, y1, x2, y2] = [
        cx - radius * 0.12,
        cy + radius * 0.34,
        cx + radius * 0.45,
        cy - radius * 0.34,
      ]
      paint(picture, line(cx - radius * 0.45, cy, x1, y1, mark), box, none)
      paint(picture, line(x1, y1, x2, y2, mark), box, none)
    } else {
      paint(picture, ring(cx, cy, radius * 0.94, radius * 0.12), box, half)
      // The last one is the one that the reward is for.
      if (i + 1 === need) paint(picture, disk(cx, cy, radius * 0.55), box, half)
    }
  }
}

function paintBar(picture: Picture, share: number): void {
  const { width, height } = picture
  const margin = width * 0.08
  const bar = { left: margin, top: height * 0.42, right: width - margin, bottom: height * 0.58 }
  const radius = (bar.bottom - bar.top) / 2
  paint(picture, slab(bar, radius), bar, faint)
  const length = Math.max((bar.right - bar.left) * share, share > 0 ? radius * 2 : 0)
  if (length === 0) return
  const done = { ...bar, right: bar.left + length }
  paint(picture, slab(done, radius), done, full)
}

/** A card in the merchant's color, as on the wallet page; `side` in pixels. */
export function drawIcon(color: string, side: number): Buffer {
  const key = `icon ${color} ${side}`
  const known = drawn.get(key)
  if (known) return known
  const unit = side / 64
  const picture = createPicture(side, side)
  const box = (left: number, top: number, width: number, height: number): Box => ({
    left: left * unit,
    top: top * unit,
    right: (left + width) * unit,
    bottom: (top + height) * unit,
  })
  const card = box(14, 20, 36, 25)
  paint(picture, slab(card, 5 * unit), card, full)
  const stripe = box(14, 26, 36, 5)
  paint(picture, slab(stripe, 0), stripe, none)
  for (const left of [32.75, 41.75]) {
    const [cx, cy, radius] = [left * unit, 38.25 * unit, 2.75 * unit]
    paint(picture, disk(cx, cy, radius), around(cx, cy, radius), none)
  }
  const png = toPng(picture, toRgb(color), toRgb(inkOn(color)))
  drawn.set(key, png)
  return png
}
