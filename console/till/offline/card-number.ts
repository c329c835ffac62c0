/**
 * Whether a text can be the barcode of a card: without the service, nothing else tells a card from a phone
 * number. Sixteen digits, the last of which is Luhn's check digit.
 */
export function isCardNumber(text: string): boolean {
  if (!/^2\d{15}$/.test(text)) return false
  const sum = [...text].reduceRight((total, character, i) => {
    const digit = Number(character) * (i % 2 === 0 ? 2 : 1)
    return total + (digit > 9 ? digit - 9 : digit)
  }, 0)
  return sum % 10 === 0
}
