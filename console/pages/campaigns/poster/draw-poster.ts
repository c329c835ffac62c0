/** Draws a poster: the merchant's color, logo and words around the QR code, as large as the paper allows. */
import { drawingCanvas, qrcode } from 'bwip-js/browser'
import { textOn } from '../../../brand-colors.ts'
import { fitText, lineHeight, type Room } from './fit-text.ts'
import { type PosterFormat, posterFormats, toDots } from './formats.ts'

export interface PosterContent {
  readonly merchant: string
  readonly headline: string
  readonly action: string
  readonly url: string
  readonly color: string
  readonly logo?: HTMLImageElement
  readonly dir: 'ltr' | 'rtl'
  readonly language: string
}

interface Box {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

const fonts = 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Noto Sans Arabic", sans-serif'

export function drawPoster(format: PosterFormat, content: PosterContent): HTMLCanvasElement {
  const { widthMm, heightMm } = posterFormats[format]
  const canvas = document.createElement('canvas')
  canvas.width = toDots(widthMm)
  canvas.height = toDots(heightMm)
  const brush = canvas.getContext('2d', { willReadFrequently: true })!
  brush.fillStyle = content.color
  brush.fillRect(0, 0, canvas.width, canvas.height)
  canvas.lang = content.language
  brush.direction = content.dir
  if (format !== 'tent') {
    drawUpright(brush, { x: 0, y: 0, width: canvas.width, height: canvas.height }, content)
    return canvas
  }
  const half = { x: 0, y: 0, width: canvas.width, height: canvas.height / 2 }
  brush.save()
  brush.translate(canvas.width, half.height)
  brush.rotate(Math.PI)
  drawSideways(brush, half, content)
  brush.restore()
  drawSideways(brush, { ...half, y: half.height }, content)
  drawFold(brush, half)
  return canvas
}

type Brush = CanvasRenderingContext2D

/** From top to bottom: who, what, the code, what to do, where. */
function drawUpright(brush: Brush, box: Box, content: PosterContent): void {
  const unit = box.width / 100
  const middle = box.x + box.width / 2
  const ink = textOn(content.color)
  const wide = { width: 86 * unit, mostLines: 2 }
  const below = drawMerchant(brush, { x: middle, y: box.y + 7 * unit }, unit, content, 'center')
  const head = { ...wide, largest: 9 * unit, smallest: 5 * unit }
  const top = write(brush, content.headline, head, { x: middle, y: below + 2.5 * unit, ink, weight: 800 })
  const foot = box.y + box.height - 27 * unit
  const side = Math.min(66 * unit, foot - top - 6 * unit)
  drawCode(brush, content.url, { x: middle - side / 2, y: top + (foot - top - side) / 2, side })
  const small = { ...wide, mostLines: 3, largest: 5 * unit, smallest: 3 * unit }
  const after = write(brush, content.action, small, { x: middle, y: foot, ink, weight: 600 })
  drawUrl(brush, content.url, { x: middle, y: after + 2 * unit, width: wide.width, unit, ink })
}

/** Words at the side where reading begins, the code at the other. */
function drawSideways(brush: Brush, box: Box, content: PosterContent): void {
  const unit = box.height / 100
  const margin = 9 * unit
  const side = 68 * unit
  const ink = textOn(content.color)
  const isRtl = content.dir === 'rtl'
  const codeX = isRtl ? box.x + margin : box.x + box.width - margin - side
  const codeY = box.y + (box.height - side) / 2
  drawCode(brush, content.url, { x: codeX, y: codeY, side })
  const width = box.width - 3 * margin - side
  const x = isRtl ? box.x + box.width - margin : box.x + margin
  const below = drawMerchant(brush, { x, y: codeY }, 0.75 * unit, content, 'start')
  const head = { width, mostLines: 3, largest: 8 * unit, smallest: 4 * unit }
  const after = write(brush, content.headline, head, { x, y: below + 2 * unit, ink, weight: 800 })
  const small = { width, mostLines: 4, largest: 4.4 * unit, smallest: 2.6 * unit }
  const end = write(brush, content.action, small, { x, y: after + 2 * unit, ink, weight: 600 })
  drawUrl(brush, content.url, { x, y: end + 2.5 * unit, width, unit: 0.75 * unit, ink })
}

interface Place {
  readonly x: number
  readonly y: number
}

/** The logo on white, for logos made for paper, and the name below it; returns where it ends. */
function drawMerchant(
  brush: Brush,
  { x, y }: Place,
  unit: number,
  content: PosterContent,
  align: 'center' | 'start',
): number {
  const { logo, merchant, color } = content
  brush.textAlign = align
  let below = y
  if (logo) {
    const most = { width: 44 * unit, height: 12 * unit }
    const natural = { width: logo.naturalWidth || 1, height: logo.naturalHeight || 1 }
    const scale = Math.min(most.width / natural.width, most.height / natural.height)
    const [width, height, pad] = [natural.width * scale, natural.height * scale, 1.8 * unit]
    const outer = width + 2 * pad
    const isRight = content.dir === 'rtl' && align === 'start'
    const left = align === 'center' ? x - outer / 2 : isRight ? x - outer : x
    fillRound(brush, { x: left, y, width: outer, height: height + 2 * pad }, 2.4 * unit)
    brush.drawImage(logo, left + pad, y + pad, width, height)
    below += height + 2 * pad + 2.5 * unit
  }
  const room = { width: align === 'center' ? 84 * unit : 75 * unit, mostLines: 1 }
  const sized = { ...room, largest: 5.5 * unit, smallest: 3 * unit }
  return write(brush, merchant, sized, { x, y: below, ink: textOn(color), weight: 600 })
}

interface Style extends Place {
  readonly ink: string
  readonly weight: number
}

/** Returns where the last line ends. */
function write(brush: Brush, text: string, room: Room, { x, y, ink, weight }: Style): number {
  const widthAt = (part: string, size: number) => {
    brush.font = `${weight} ${size}px ${fonts}`
    return brush.measureText(part).width
  }
  const { size, lines } = fitText(text, room, widthAt)
  brush.font = `${weight} ${size}px ${fonts}`
  brush.fillStyle = ink
  brush.textBaseline = 'top'
  for (const [i, line] of lines.entries()) brush.fillText(line, x, y + i * size * lineHeight)
  return y + lines.length * size * lineHeight
}

interface UrlPlace extends Place {
  readonly width: number
  readonly unit: number
  readonly ink: string
}

/** For those whose phone does not scan: as it is typed, and from left to right in every language. */
function drawUrl(brush: Brush, url: string, { x, y, width, unit, ink }: UrlPlace): void {
  const { direction, textAlign } = brush
  brush.direction = 'ltr'
  if (direction === 'rtl' && textAlign === 'start') brush.textAlign = 'right'
  const room = { width, mostLines: 1, largest: 3.6 * unit, smallest: 1.6 * unit }
  write(brush, url.replace(/^https?:\/\//, ''), room, { x, y, ink, weight: 400 })
  brush.direction = direction
  brush.textAlign = textAlign
}

/** Two pixels for each module. */
const smallest = { bcid: 'qrcode', scale: 1, padding: 0, eclevel: 'M' }

/** On white, with the four modules of quiet that scanners need; each module is a whole number of dots. */
function drawCode(brush: Brush, text: string, { x, y, side }: Place & { readonly side: number }): void {
  const small = document.createElement('canvas')
  qrcode({ ...smallest, text }, drawingCanvas(small))
  const modules = small.width / 2
  const module = Math.floor(side / (modules + 8))
  const size = module * modules
  fillRound(brush, { x, y, width: side, height: side }, side / 24)
  const inset = Math.round((side - size) / 2)
  brush.imageSmoothingEnabled = false
  brush.drawImage(small, Math.round(x) + inset, Math.round(y) + inset, size, size)
  brush.imageSmoothingEnabled = true
}

function fillRound(brush: Brush, { x, y, width, height }: Box, radius: number): void {
  brush.fillStyle = '#ffffff'
  brush.beginPath()
  brush.roundRect(x, y, width, height, radius)
  brush.fill()
}

/** A fine dotted line where the sheet is folded. */
function drawFold(brush: Brush, { width, height }: Box): void {
  brush.strokeStyle = '#ffffff'
  brush.globalAlpha = 0.6
  brush.lineWidth = 3
  brush.setLineDash([6, 24])
  brush.beginPath()
  brush.moveTo(0, height)
  brush.lineTo(width, height)
  brush.stroke()
  brush.globalAlpha = 1
}
