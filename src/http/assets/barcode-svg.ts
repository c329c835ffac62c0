/** Barcodes as images: dark on white whatever stands around them, with the quiet zone that scanners need inside. */

import QuickLRU from 'quick-lru'

export const barcodeKinds = ['code128', 'qr'] as const
export type BarcodeKind = (typeof barcodeKinds)[number]

const colors = { barcolor: '000000', backgroundcolor: 'FFFFFF' }
/** In modules and pixels of each kind: ten modules beside the bars, four around the squares. */
const options = {
  code128: { bcid: 'code128', ...colors, scale: 2, height: 20, paddingwidth: 10, paddingheight: 4 },
  qr: { bcid: 'qrcode', ...colors, scale: 4, padding: 8, eclevel: 'M' },
}

/** Drawing a QR code takes milliseconds in which nothing else is done, so the last ones are kept, up to 500. */
const drawn = new QuickLRU<string, string>({ maxSize: 250 })

export async function drawBarcode(kind: BarcodeKind, text: string): Promise<string> {
  const key = `${kind} ${text}`
  const known = drawn.get(key)
  if (known !== undefined) return known
  // Loaded with the first image: it takes a twentieth of a second that a start need not wait for.
  const { toSVG } = await import('bwip-js/node')
  const svg = toSVG({ ...options[kind], text })
  drawn.set(key, svg)
  return svg
}
