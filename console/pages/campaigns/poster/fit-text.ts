/** Breaks a text into lines and chooses the largest size at which it fits. */
export interface Fitted {
  readonly size: number
  readonly lines: readonly string[]
}

export interface Room {
  readonly width: number
  readonly largest: number
  readonly smallest: number
  readonly mostLines: number
}

export const lineHeight = 1.2

/** `widthAt` measures a text at a size. At the smallest size, what is too long is cut off. */
export function fitText(text: string, room: Room, widthAt: (text: string, size: number) => number): Fitted {
  for (let size = room.largest; size > room.smallest; size *= 0.94) {
    const lines = breakLines(text, (line) => widthAt(line, size) <= room.width)
    const fits = lines.length <= room.mostLines && lines.every((line) => widthAt(line, size) <= room.width)
    if (fits) return { size, lines: balance(text, lines, room.width, (line) => widthAt(line, size)) }
  }
  const size = room.smallest
  const lines = breakLines(text, (line) => widthAt(line, size) <= room.width)
  const kept = lines
    .slice(0, room.mostLines)
    .map((line) => cut(line, (part) => widthAt(part, size) <= room.width))
  if (lines.length > room.mostLines) kept[kept.length - 1] = `${kept.at(-1)!.replace(/…$/, '')}…`
  return { size, lines: kept }
}

/** As many lines, but of about the same length: a single word in the last one looks forgotten. */
function balance(
  text: string,
  lines: readonly string[],
  most: number,
  widthOf: (line: string) => number,
): readonly string[] {
  for (let width = most / 2; width < most; width += most / 20) {
    const narrow = breakLines(text, (line) => widthOf(line) <= width)
    if (narrow.length <= lines.length) return narrow
  }
  return lines
}

function breakLines(text: string, fits: (line: string) => boolean): string[] {
  const lines: string[] = []
  for (const word of text.split(/\s+/).filter(Boolean)) {
    const longer = lines.length === 0 ? word : `${lines.at(-1)} ${word}`
    if (lines.length > 0 && fits(longer)) lines[lines.length - 1] = longer
    else lines.push(word)
  }
  return lines
}

function cut(line: string, fits: (part: string) => boolean): string {
  if (fits(line)) return line
  const letters = [...line]
  while (letters.length > 1 && !fits(`${letters.join('')}…`)) letters.pop()
  return `${letters.join('')}…`
}
