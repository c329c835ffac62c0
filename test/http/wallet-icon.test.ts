import { crc32, inflateSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { iconPng, iconSizes, iconSvg } from '../../src/http/wallet-icon.ts'

interface Picture {
  readonly width: number
  readonly height: number
  /** Such as `#0b6e63`, at a place in a square of 64. */
  readonly at: (x: number, y: number) => string
}

/** As the standard says, as far as our icons use it; what is broken fails. */
function decode(png: Buffer): Picture {
  expect(png.subarray(0, 8).toString('latin1')).toBe('\x89PNG\r\n\x1a\n')
  const chunks = new Map<string, Buffer>()
  for (let at = 8; at < png.length; ) {
    const length = png.readUInt32BE(at)
    const body = png.subarray(at + 4, at + 8 + length)
    expect(png.readUInt32BE(at + 8 + length)).toBe(crc32(body))
    chunks.set(body.subarray(0, 4).toString('latin1'), body.subarray(4))
    at += length + 12
  }
  expect([...chunks.keys()]).toEqual(['IHDR', 'PLTE', 'IDAT', 'IEND'])
  const [header, palette] = [chunks.get('IHDR')!, chunks.get('PLTE')!]
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)]
  // Eight bits, a palette, deflate, the usual filters, no interlacing.
  expect([...header.subarray(8)]).toEqual([8, 3, 0, 0, 0])
  const rows = inflateSync(chunks.get('IDAT')!)
  expect(rows.length).toBe(height * (width + 1))
  for (let row = 0; row < height; row++) expect(rows[row * (width + 1)]).toBe(0)
  const at = (x: number, y: number) => {
    const [column, row] = [x, y].map((place) => Math.floor((place / 64) * width)) as [number, number]
    const shade = rows[row * (width + 1) + 1 + column]!
    expect(shade * 3).toBeLessThan(palette.length)
    return `#${palette.subarray(shade * 3, shade * 3 + 3).toString('hex')}`
  }
  return { width, height, at }
}

describe.each(iconSizes)('an icon of %i pixels', (size) => {
  test.each([
    { color: '#0b6e63', ink: '#ffffff' },
    { color: '#f2c14e', ink: '#16201e' },
    { color: '#000000', ink: '#ffffff' },
    { color: '#ffffff', ink: '#16201e' },
  ])('shows a card on $color', ({ color, ink }) => {
    const { width, height, at } = decode(iconPng(color, size))
    expect([width, height]).toEqual([size, size])
    const ground = [at(0, 0), at(63.9, 0), at(0, 63.9), at(63.9, 63.9), at(32, 10), at(32, 55)]
    expect(new Set(ground)).toEqual(new Set([color]))
    expect([at(32, 23), at(20, 40), at(48, 43)]).toEqual([ink, ink, ink])
    // The stripe and the two points, and the round corner.
    expect([at(32, 28.5), at(32.75, 38.25), at(41.75, 38.25), at(14.3, 20.3)]).toEqual(Array(4).fill(color))
  })

  test('is small', () => expect(iconPng('#0b6e63', size).length).toBeLessThan(6_000))
})

test('the drawing has the same shapes and colors', () => {
  const svg = iconSvg('#f2c14e')
  expect(svg.match(/<rect /g)).toHaveLength(5)
  expect(svg).toContain('<rect x="14" y="20" width="36" height="25" rx="5" fill="#16201e"/>')
})
