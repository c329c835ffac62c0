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

/** From row to row: asking for each point of a picture what it lies in takes a second. */
function draw(svg: string): Picture {
  const [, width, height] = /viewBox="0 0 (\d+) (\d+)"/.exec(svg)!.map(Number) as [number, number, number]
  const data = new Uint8ClampedArray(width * height * 4).fill(255)
  const shapes = [...svg.matchAll(/<path([^>]*)>/g)].map(([, path]) => {
    const d = / d="([^"]*)"/.exec(path!)![1]!
    const stroke = /stroke-width="([\d.]+)"/.exec(path!)?.[1]
    return stroke ? ofLines(d, Number(stroke)) : ofPolygons(d)
  })
  for (let y = 0; y < height; y++) {
    for (const [from, to] of shapes.flatMap((spansAt) => spansAt(y + 0.5))) {
      // A point is in the middle of its square.
      const [first, end] = [Math.max(0, Math.ceil(from - 0.5)), Math.min(width, Math.ceil(to - 0.5))]
      for (let x = first; x < end; x++) data.fill(0, (y * width + x) * 4, (y * width + x) * 4 + 3)
    }
  }
  return { data, width, height }
}

/** Where a shape is dark at one height: from here to there. */
type SpansAt = (y: number) => (readonly [number, number])[]

/** Vertical lines of a given width. */
function ofLines(d: string, stroke: number): SpansAt {
  const lines = [...d.matchAll(/M([\d.]+) ([\d.]+)L[\d.]+ ([\d.]+)/g)].map(
    (match) => match.slice(1).map(Number) as [number, number, number],
  )
  return (y) =>
    lines.flatMap(([at, bottom, top]) =>
      y > top && y < bottom ? [[at - stroke / 2, at + stroke / 2] as const] : [],
    )
}

/** What lies inside an odd number of polygons. */
function ofPolygons(d: string): SpansAt {
  const edges = d.split('Z').flatMap((part) => {
    const points = [...part.matchAll(/([\d.]+) ([\d.]+)/g)].map(([, x, y]) => [Number(x), Number(y)] as const)
    return points.map((point, i) => [points.at(i - 1)!, point] as const)
  })
  return (y) => {
    const crossings = edges
      .flatMap(([[x1, y1], [x2, y2]]) => (y1 > y !== y2 > y ? [((x2 - x1) * (y - y1)) / (y2 - y1) + x1] : []))
      .sort((a, b) => a - b)
    return crossings.flatMap((from, i) => (i % 2 === 0 ? [[from, crossings[i + 1]!] as const] : []))
  }
}
