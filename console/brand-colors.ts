/** Text on the merchant's color is white or nearly black, whichever is readable (WCAG relative luminance). */
export function textOn(color: string): string {
  const [red, green, blue] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(color.slice(at, at + 2), 16) / 255
    return part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  }) as [number, number, number]
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.179 ? '#16201e' : '#ffffff'
}
