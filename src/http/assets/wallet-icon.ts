/**
 * The icon of a wallet page: a card in the merchant's color. Phones that take no SVG get one in our own color
 * (`console/public/icon-192.png` and `icon-512.png`, drawn from the same shapes).
 */

/** Color of cards whose organization has chosen none. */
export const plainColor = '#0b6e63'

interface Shape {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
  readonly radius: number
}

/** In a square of this side. A phone may cut a circle out of it: all shapes are within. */
const side = 64
const card: Shape = { x: 14, y: 20, width: 36, height: 25, radius: 5 }
/** Cut out of the card: its stripe and two points. */
const holes: readonly Shape[] = [
  { x: 14, y: 26, width: 36, height: 5, radius: 0 },
  { x: 30, y: 35.5, width: 5.5, height: 5.5, radius: 2.75 },
  { x: 39, y: 35.5, width: 5.5, height: 5.5, radius: 2.75 },
]

export function iconSvg(color: string): string {
  const draw = ({ x, y, width, height, radius }: Shape, fill: string) =>
    `<rect x="${x}" y="${y}" width="${width}" height="${height}" rx="${radius}" fill="${fill}"/>`
  const ground = { x: 0, y: 0, width: side, height: side, radius: 0 }
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${side} ${side}">` +
    draw(ground, color) +
    draw(card, inkOn(color)) +
    holes.map((hole) => draw(hole, color)).join('') +
    '</svg>'
  )
}

const partsOf = (color: string) => [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16))

/** White, or nearly black where the color is light (WCAG's relative luminance); the page decides alike. */
function inkOn(color: string): string {
  const [red, green, blue] = partsOf(color).map((part) =>
    part <= 10 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4,
  ) as [number, number, number]
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.179 ? '#16201e' : '#ffffff'
}
