/** What a scanner makes of a PDF of one picture, as posters are. */
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { inflateSync } from 'node:zlib'
import { prepareZXingModule, readBarcodes } from 'zxing-wasm/reader'

const wasm = createRequire(import.meta.url).resolve('zxing-wasm/reader/zxing_reader.wasm')

export interface ReadPdf {
  readonly width: number
  readonly height: number
  /** Of the page, in points. */
  readonly mediaBox: string
  /** The texts of the codes on it. */
  readonly codes: readonly string[]
}

export async function readPdf(path: string): Promise<ReadPdf> {
  const file = await readFile(path)
  const text = file.toString('latin1')
  const number = (pattern: RegExp) => Number(pattern.exec(text)![1])
  const [width, height] = [number(/\/Width (\d+)/), number(/\/Height (\d+)/)]
  const image = text.indexOf('/Subtype /Image')
  const start = text.indexOf('stream\n', image) + 'stream\n'.length
  const length = Number(/\/Length (\d+)/.exec(text.slice(image))![1])
  const data = pixelsOf(inflateSync(file.subarray(start, start + length)), width, height)
  const wasmBinary = new Uint8Array(await readFile(wasm)).buffer
  await prepareZXingModule({ overrides: { wasmBinary }, fireImmediately: true })
  const found = await readBarcodes({ data, width, height, colorSpace: 'srgb' } as never)
  const mediaBox = /\/MediaBox \[([^\]]+)\]/.exec(text)![1]!
  return { width, height, mediaBox, codes: found.map((code) => code.text) }
}

/** Each row is the difference to the one above it. */
function pixelsOf(rows: Buffer, width: number, height: number): Uint8ClampedArray {
  const pixels = new Uint8ClampedArray(width * height * 4).fill(255)
  for (let y = 0; y < height; y++) {
    const row = y * (1 + 3 * width) + 1
    for (let x = 0; x < width; x++) {
      for (let color = 0; color < 3; color++) {
        const at = (y * width + x) * 4 + color
        const above = y === 0 ? 0 : pixels[at - width * 4]!
        pixels[at] = (above + rows[row + x * 3 + color]!) & 255
      }
    }
  }
  return pixels
}
