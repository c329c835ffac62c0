/**
 * The icon of a wallet page: a card in the merchant's color. Phones differ in what they take, so the same shapes are
 * written as SVG and, pixel by pixel, as PNG.
 *
 * Only the palette of a PNG depends on the color: how much of each pixel is card is computed once for each size.
 */
import { crc32, deflateSync } from 'node:zlib'

/** Of cards whose organization has chosen no color. */
export const plainColor = '#0b6e63'

export const iconSizes = [192, 512] as const
export type IconSize = (typeof iconSizes)[number]

interface Shape {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
  readonly radius: number
}

/** In a square of this side. A phone may cut a circle out of it: all shapes are within. */
const side = 64
const card: Shape = { x: 14, y: 20, width: 36, height: 25, radius: 5 }
/** Cut out of the card: its stripe and two points. */
const holes: readonly Shape[] = [
  { x: 14, y: 26, width: 36, height: 5, radius: 0 },
  { x: 30, y: 35.5, width: 5.5, height: 5.5, radius: 2.75 },
  { x: 39, y: 35.5, width: 5.5, height: 5.5, radius: 2.75 },
]

export function iconSvg(color: string): string {
  const draw = ({ x, y, width, height, radius }: Shape, fill: string) =>
    `<rect x="${x}" y="${y}" width="${width}" height="${height}" rx="${radius}" fill="${fill}"/>`
  const ground = { x: 0, y: 0, width: side, height: side, radius: 0 }
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${side} ${side}">` +
    draw(ground, color) +
    draw(card, inkOn(color)) +
    holes.map((hole) => draw(hole, color)).join('') +
    '</svg>'
  )
}

/** Shades between the color and what stands on it; enough for smooth edges. */
const shades = 16
const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
const pixels = new Map<number, Buffer>()

export function iconPng(color: string, size: IconSize): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(size, 0)
  header.writeUInt32BE(size, 4)
  // Eight bits for each pixel, which name a color of the palette.
  header.set([8, 3, 0, 0, 0], 8)
  const data = pixels.get(size) ?? deflateSync(drawPixels(size), { level: 9 })
  pixels.set(size, data)
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('PLTE', paletteOf(color)),
    chunk('IDAT', data),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

function chunk(kind: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(kind, 'latin1'), data])
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  check.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, check])
}

function paletteOf(color: string): Buffer {
  const [ground, ink] = [partsOf(color), partsOf(inkOn(color))]
  const mixed = Array.from({ length: shades }, (_, shade) =>
    ground.map((part, i) => Math.round(part + ((ink[i]! - part) * shade) / (shades - 1))),
  )
  return Buffer.from(mixed.flat())
}

/** Rows of shades, each row behind a zero: none is written as a difference to another. */
function drawPixels(size: number): Buffer {
  const rows = Buffer.alloc(size * (size + 1))
  const scale = size / side
  for (let row = 0; row < size; row++) {
    for (let column = 0; column < size; column++) {
      const at = [(column + 0.5) / scale, (row + 0.5) / scale] as const
      const share = holes.reduce(
        (rest, hole) => rest * (1 - covers(hole, ...at, scale)),
        covers(card, ...at, scale),
      )
      rows[row * (size + 1) + 1 + column] = Math.round(share * (shades - 1))
    }
  }
  return rows
}

/** How much of the pixel around a point the shape covers, by the distance of the point from its edge. */
function covers({ x, y, width, height, radius }: Shape, atX: number, atY: number, scale: number): number {
  const beyondX = Math.abs(atX - x - width / 2) - width / 2 + radius
  const beyondY = Math.abs(atY - y - height / 2) - height / 2 + radius
  const outside = Math.hypot(Math.max(beyondX, 0), Math.max(beyondY, 0))
  const distance = outside + Math.min(Math.max(beyondX, beyondY), 0) - radius
  return Math.min(Math.max(0.5 - distance * scale, 0), 1)
}

const partsOf = (color: string) => [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16))

/** White, or nearly black where the color is light (WCAG's relative luminance); the page decides alike. */
function inkOn(color: string): string {
  const [red, green, blue] = partsOf(color).map((part) =>
    part <= 10 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4,
  ) as [number, number, number]
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.179 ? '#16201e' : '#ffffff'
}
