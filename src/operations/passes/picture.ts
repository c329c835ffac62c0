/**
 * Small pictures, drawn and written as PNG without a library: flat shapes with smooth edges are all that a pass
 * needs. A shape is the distance of a point from its edge, negative inside. A picture has two colors and what is
 * between them, so a pixel is one byte: drawing and compressing take a fraction of what three would.
 */
import { crc32, deflateSync } from 'node:zlib'
import { mix, type Rgb } from '../../domain/color.ts'

export type Shape = (x: number, y: number) => number

export interface Box {
  readonly left: number
  readonly top: number
  readonly right: number
  readonly bottom: number
}

export interface Picture {
  readonly width: number
  readonly height: number
  /** The share of the ink in each pixel, from 0 to 255. */
  readonly pixels: Buffer
}

export const createPicture = (width: number, height: number): Picture => ({
  width,
  height,
  pixels: Buffer.alloc(width * height),
})

/** Draws a shape that lies in the box, with this share of the ink, from 0 to 1. */
export function paint({ width, height, pixels }: Picture, shape: Shape, box: Box, share: number): void {
  const [left, right] = [Math.max(0, Math.floor(box.left)), Math.min(width, Math.ceil(box.right))]
  const [top, bottom] = [Math.max(0, Math.floor(box.top)), Math.min(height, Math.ceil(box.bottom))]
  const ink = share * 255
  for (let y = top; y < bottom; y++) {
    for (let x = left; x < right; x++) {
      const distance = shape(x + 0.5, y + 0.5)
      if (distance >= 0.5) continue
      const cover = distance <= -0.5 ? 1 : 0.5 - distance
      const at = y * width + x
      const under = pixels[at]!
      pixels[at] = Math.round(under + (ink - under) * cover)
    }
  }
}

const length = (x: number, y: number) => Math.sqrt(x * x + y * y)

export const disk =
  (cx: number, cy: number, radius: number): Shape =>
  (x, y) =>
    length(x - cx, y - cy) - radius

export const ring =
  (cx: number, cy: number, radius: number, thickness: number): Shape =>
  (x, y) =>
    Math.abs(length(x - cx, y - cy) - radius) - thickness / 2

export const line =
  (x1: number, y1: number, x2: number, y2: number, thickness: number): Shape =>
  (x, y) => {
    const [dx, dy] = [x2 - x1, y2 - y1]
    const along = Math.min(1, Math.max(0, ((x - x1) * dx + (y - y1) * dy) / (dx * dx + dy * dy)))
    return length(x - x1 - along * dx, y - y1 - along * dy) - thickness / 2
  }

/** A rectangle with round corners. */
export const slab =
  ({ left, top, right, bottom }: Box, radius: number): Shape =>
  (x, y) => {
    const dx = Math.abs(x - (left + right) / 2) - (right - left) / 2 + radius
    const dy = Math.abs(y - (top + bottom) / 2) - (bottom - top) / 2 + radius
    return length(Math.max(dx, 0), Math.max(dy, 0)) + Math.min(Math.max(dx, dy), 0) - radius
  }

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])

export function toPng({ width, height, pixels }: Picture, ground: Rgb, ink: Rgb): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  // Eight bits, which are the number of a color in the palette.
  header.set([8, 3], 8)
  const palette = Buffer.from(Array.from({ length: 256 }, (_, i) => mix(ground, ink, i / 255)).flat())
  // Each row begins with the number of its filter: none.
  const rows = Buffer.alloc((width + 1) * height)
  for (let y = 0; y < height; y++) pixels.copy(rows, y * (width + 1) + 1, y * width, (y + 1) * width)
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('PLTE', palette),
    chunk('IDAT', deflateSync(rows, { level: 6 })),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

function chunk(type: string, content: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type), content])
  const [size, check] = [Buffer.alloc(4), Buffer.alloc(4)]
  size.writeUInt32BE(content.length)
  check.writeUInt32BE(crc32(body))
  return Buffer.concat([size, body, check])
}
