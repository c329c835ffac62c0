/** The sizes that a poster can be printed in, in millimeters. */
export const posterFormats = {
  a4: { widthMm: 210, heightMm: 297 },
  a5: { widthMm: 148, heightMm: 210 },
  /** An A4 sheet, folded in the middle: both sides show the same, one of them upside down. */
  tent: { widthMm: 210, heightMm: 297 },
  /** A6, for a small stand beside the till. */
  counter: { widthMm: 105, heightMm: 148 },
} as const

export type PosterFormat = keyof typeof posterFormats

const dotsPerMm = 300 / 25.4

export const toDots = (mm: number): number => Math.round(mm * dotsPerMm)
