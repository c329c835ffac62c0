/**
 * Reads the barcodes in an image as a scanner does: renders the SVG in black and white and decodes the
 * result.
 */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

interface Scanned {
  readonly format: string
  readonly text: string
}
interface Picture {
  readonly data: Uint8ClampedArray
  readonly width: number
  readonly height: number
}

// The decoder is a dependency of the detector.
const ofDetector = createRequire(createRequire(import.meta.url).resolve('barcode-detector'))
const { prepareZXingModule, readBarcodes } = ofDetector('zxing-wasm/reader') as {
  prepareZXingModule(options: object): unknown
  readBarcodes(picture: Picture): Promise<Scanned[]>
}
const wasm = readFileSync(ofDetector.resolve('zxing-wasm/reader/zxing_reader.wasm'))
prepareZXingModule({ overrides: { wasmBinary: new Uint8Array(wasm).buffer } })

export async function scanSvg(svg: string): Promise<Scanned[]> {
  return (await readBarcodes(draw(svg))).map(({ format, text }) => ({ format, text }))
}

function draw(svg: string): Picture {
  const [, width, height] = /viewBox="0 0 (\d+) (\d+)"/.exec(svg)!.map(Number) as [number, number, number]
  const data = new Uint8ClampedArray(width * height * 4).fill(255)
  const isDark = [...svg.matchAll(/<path([^>]*)>/g)].map(([, path]) => {
    const d = / d="([^"]*)"/.exec(path!)![1]!
    const stroke = /stroke-width="([\d.]+)"/.exec(path!)?.[1]
    return stroke ? onLine(d, Number(stroke)) : inPolygon(d)
  })
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      if (isDark.some((test) => test(x + 0.5, y + 0.5)))
        data.fill(0, (y * width + x) * 4, (y * width + x) * 4 + 3)
    }
  }
  return { data, width, height }
}

type IsDark = (x: number, y: number) => boolean

/** Tests for points on vertical lines of a given width. */
function onLine(d: string, stroke: number): IsDark {
  const lines = [...d.matchAll(/M([\d.]+) ([\d.]+)L[\d.]+ ([\d.]+)/g)].map((match) =>
    match.slice(1).map(Number),
  )
  return (x, y) =>
    lines.some(([at, bottom, top]) => Math.abs(x - at!) < stroke / 2 && y > top! && y < bottom!)
}

/** Tests for points inside an odd number of polygons. */
function inPolygon(d: string): IsDark {
  const polygons = d
    .split('Z')
    .map((part) =>
      [...part.matchAll(/([\d.]+) ([\d.]+)/g)].map(([, x, y]) => [Number(x), Number(y)] as const),
    )
  return (x, y) => {
    let isInside = false
    for (const polygon of polygons) {
      for (const [i, [x1, y1]] of polygon.entries()) {
        const [x2, y2] = polygon.at(i - 1)!
        if (y1 > y !== y2 > y && x < ((x2 - x1) * (y - y1)) / (y2 - y1) + x1) isInside = !isInside
      }
    }
    return isInside
  }
}
