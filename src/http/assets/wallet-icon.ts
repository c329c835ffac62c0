/**
 * The icon of a wallet page: a card in the merchant's color. Phones without SVG support get one in our own
 * color (`console/public/icon-192.png` and `icon-512.png`, drawn from the same shapes).
 */
import { inkOn } from '../../domain/color.ts'

interface Shape {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
  readonly radius: number
}

/** Side of the square icon. A phone may crop it to a circle: all shapes are inside that circle. */
const side = 64
const card: Shape = { x: 14, y: 20, width: 36, height: 25, radius: 5 }
/** Shapes cut out of the card: its stripe and two dots. */
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
