import { expect, test } from 'vitest'
import { iconSvg } from '../../src/http/assets/wallet-icon.ts'

test.each([
  { color: '#0b6e63', ink: '#ffffff' },
  { color: '#f2c14e', ink: '#16201e' },
  { color: '#000000', ink: '#ffffff' },
  { color: '#ffffff', ink: '#16201e' },
])('the icon shows a card that can be told from $color', ({ color, ink }) => {
  const fills = [...iconSvg(color).matchAll(/<rect [^>]*fill="(#\w+)"/g)].map(([, fill]) => fill)
  // The ground, the card, and its stripe and two points.
  expect(fills).toEqual([color, ink, color, color, color])
})
