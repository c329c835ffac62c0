/** Colors as `#rrggbb`. */

/** Default color, for organizations that have not chosen one. */
export const plainColor = '#0b6e63'

export type Rgb = readonly [red: number, green: number, blue: number]

export const toRgb = (color: string): Rgb =>
  [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16)) as unknown as Rgb

/** White, or nearly black on a light color (by WCAG relative luminance); the wallet page uses the same rule. */
export function inkOn(color: string): string {
  const [red, green, blue] = toRgb(color).map((part) =>
    part <= 10 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4,
  ) as [number, number, number]
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.179 ? '#16201e' : '#ffffff'
}

/** `share` of the second color in the first. */
export function mix(color: Rgb, other: Rgb, share: number): Rgb {
  return color.map((part, i) => Math.round(part + (other[i]! - part) * share)) as unknown as Rgb
}
