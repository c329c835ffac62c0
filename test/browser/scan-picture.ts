/** What a scanner makes of a picture of the screen, and how much room it has around the code. */
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { Locator, Page } from 'playwright-core'
import { prepareZXingModule, readBarcodes } from 'zxing-wasm/reader'

const wasm = createRequire(import.meta.url).resolve('zxing-wasm/reader/zxing_reader.wasm')

export async function scanPicture(place: Locator): Promise<{ format: string; text: string }[]> {
  // Unless told it asks a server on the Internet for its WebAssembly.
  const wasmBinary = new Uint8Array(await readFile(wasm)).buffer
  await prepareZXingModule({ overrides: { wasmBinary }, fireImmediately: true })
  const codes = await readBarcodes(new Uint8Array(await place.screenshot()))
  return codes.map(({ format, text }) => ({ format, text }))
}

/** As text: it runs in the page. Looks along the row through the code where its first bar or square is whole. */
const measure = `async ({ png, at }) => {
  const image = new Image()
  image.src = 'data:image/png;base64,' + png
  await image.decode()
  const canvas = Object.assign(document.createElement('canvas'), { width: image.width, height: image.height })
  const context = canvas.getContext('2d', { willReadFrequently: true })
  context.drawImage(image, 0, 0)
  const { data } = context.getImageData(0, 0, image.width, image.height)
  const lightAt = (x, y) => Math.min(...data.subarray(4 * (y * image.width + x), 4 * (y * image.width + x) + 3))
  const darkAt = (x, y) => Math.max(...data.subarray(4 * (y * image.width + x), 4 * (y * image.width + x) + 3))
  const isDark = (x, y) => darkAt(x, y) < 128
  let top = 0
  const hasDark = (y) => Array.from({ length: image.width }, (_, x) => x).some((x) => isDark(x, y))
  while (top < image.height && !hasDark(top)) top++
  const row = top + at
  let before = 0
  while (before < image.width && !isDark(before, row)) before++
  let end = before
  while (end < image.width && isDark(end, row)) end++
  let after = 0
  while (after < image.width && !isDark(image.width - 1 - after, row)) after++
  return { before, after, firstBar: end - before, top, light: lightAt(3, 3), dark: darkAt(before + 1, row) }
}`

export interface Room {
  /** In pixels: white before and after the code and above it, and how wide its first bar is. */
  readonly before: number
  readonly after: number
  readonly top: number
  readonly firstBar: number
  /** Beside the corner, whose own pixels the edge may share, and of a bar, from 0 to 255. */
  readonly light: number
  readonly dark: number
}

export async function measureRoom(page: Page, place: Locator): Promise<Room> {
  const png = (await place.screenshot()).toString('base64')
  return page.evaluate(`(${measure})(${JSON.stringify({ png, at: 1 })})`)
}
