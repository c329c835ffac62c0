/** Barcodes as SVG: always black on white, and including the quiet zone that scanners need. */

import QuickLRU from 'quick-lru'

export const barcodeKinds = ['code128', 'qr'] as const
export type BarcodeKind = (typeof barcodeKinds)[number]

const colors = { barcolor: '000000', backgroundcolor: 'FFFFFF' }
/** Padding is the quiet zone: ten modules beside the bars of Code 128, four around a QR code. */
const options = {
  code128: { bcid: 'code128', ...colors, scale: 2, height: 20, paddingwidth: 10, paddingheight: 4 },
  qr: { bcid: 'qrcode', ...colors, scale: 4, padding: 8, eclevel: 'M' },
}

/**
 * Drawing a QR code blocks the event loop for milliseconds, so the most recent ones are cached, up to 500.
 */
const drawn = new QuickLRU<string, string>({ maxSize: 250 })

export async function drawBarcode(kind: BarcodeKind, text: string): Promise<string> {
  const key = `${kind} ${text}`
  const known = drawn.get(key)
  if (known !== undefined) return known
  // Loaded with the first image: loading takes 50 ms, which would slow down every start.
  const { toSVG } = await import('bwip-js/node')
  const svg = toSVG({ ...options[kind], text })
  drawn.set(key, svg)
  return svg
}
