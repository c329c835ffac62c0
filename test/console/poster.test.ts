import { inflateSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { fitText } from '../../console/pages/campaigns/poster/fit-text.ts'
import { toDots } from '../../console/pages/campaigns/poster/formats.ts'
import { type PosterPicture, toPdf } from '../../console/pages/campaigns/poster/pdf.ts'

const width = 7
const height = 5
const rgba = Uint8ClampedArray.from({ length: width * height * 4 }, (_, i) => (i * 37) % 256)
const picture: PosterPicture = { title: 'Kaffee قهوة 😀', widthMm: 210, heightMm: 297, width, height, rgba }

/** Reads a PDF as programs do: from the end, by the places that its table has. */
async function read(of: PosterPicture) {
  const file = Buffer.from(await (await toPdf(of)).arrayBuffer())
  const text = file.toString('latin1')
  const start = Number(/startxref\n(\d+)\n%%EOF\n$/.exec(text)![1])
  const [head, ...lines] = text.slice(start).split('\n').slice(1)
  const count = Number(head!.split(' ')[1])
  const objects = lines.slice(1, count).map((line, i) => {
    expect(line).toMatch(/^\d{10} 00000 n $/)
    const at = Number(line.slice(0, 10))
    expect(text.slice(at)).toMatch(new RegExp(`^${i + 1} 0 obj\n`))
    return at
  })
  const bodyOf = (n: number) => text.slice(objects[n - 1], text.indexOf('\nendobj', objects[n - 1]))
  const streamOf = (n: number) => {
    const at = text.indexOf('stream\n', objects[n - 1]) + 'stream\n'.length
    const length = Number(/\/Length (\d+)/.exec(bodyOf(n))![1])
    expect(text.slice(at + length, at + length + 10)).toBe('\nendstream')
    return file.subarray(at, at + length)
  }
  return { text, count, bodyOf, streamOf }
}

describe('a poster as PDF', () => {
  test('has a table of its objects, and a page of the size of the paper', async () => {
    const { text, count, bodyOf, streamOf } = await read(picture)
    expect(text).toMatch(/^%PDF-1\.5\n/)
    expect(count).toBe(7)
    expect(bodyOf(3)).toContain('/MediaBox [0 0 595.28 841.89]')
    expect(streamOf(4).toString()).toBe('q 595.28 0 0 841.89 0 0 cm /Poster Do Q')
    expect(bodyOf(5)).toContain('/Width 7 /Height 5 /ColorSpace /DeviceRGB')
  })

  test('has every pixel, without loss', async () => {
    const { streamOf } = await read(picture)
    const rows = inflateSync(streamOf(5))
    expect(rows).toHaveLength(height * (1 + width * 3))
    const above = new Uint8Array(width * 3)
    for (let y = 0; y < height; y++) {
      const at = y * (1 + width * 3)
      expect(rows[at]).toBe(2)
      for (let i = 0; i < width * 3; i++) {
        above[i] = (above[i]! + rows[at + 1 + i]!) & 255
        expect(above[i]).toBe(rgba[(y * width + Math.floor(i / 3)) * 4 + (i % 3)])
      }
    }
  })

  test('has a title in any script', async () => {
    const { bodyOf } = await read(picture)
    const hex = /\/Title <feff([0-9a-f]+)>/.exec(bodyOf(6))![1]!
    expect(Buffer.from(hex, 'hex').swap16().toString('utf16le')).toBe(picture.title)
  })

  test('is printed with 300 dots per inch', () => {
    expect([210, 297].map(toDots)).toEqual([2480, 3508])
  })
})

describe('a text on a poster', () => {
  const widthAt = (text: string, size: number) => [...text].length * size * 0.5
  const room = { width: 100, largest: 20, smallest: 5, mostLines: 2 }

  test('is as large as it can be, and broken between words', () => {
    expect(fitText('Free', room, widthAt)).toEqual({ size: 20, lines: ['Free'] })
    expect(fitText('Your free coffee', room, widthAt)).toEqual({ size: 20, lines: ['Your free', 'coffee'] })
    const { size, lines } = fitText('Get your card and a free coffee', room, widthAt)
    expect(size).toBeLessThan(20)
    expect(lines).toHaveLength(2)
    for (const line of lines) expect(widthAt(line, size)).toBeLessThanOrEqual(100)
  })

  test('has lines of about the same length', () => {
    const { lines } = fitText('Scan the code. No app needed at all', { ...room, largest: 8 }, widthAt)
    expect(lines).toEqual(['Scan the code. No', 'app needed at all'])
  })

  test('is cut off where nothing else helps', () => {
    const { size, lines } = fitText(`${'word '.repeat(50)}`, room, widthAt)
    expect([size, lines.length]).toEqual([5, 2])
    expect(lines[1]).toMatch(/…$/)
    expect(fitText('x'.repeat(99), room, widthAt).lines[0]).toHaveLength(40)
    expect(fitText('', room, widthAt).lines).toEqual([])
  })
})
