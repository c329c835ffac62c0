/**
 * Sixteen digits: a 2 (the range that shops may number themselves), fourteen random digits and a check digit.
 */
export const barcodeDigits = 16

/** Whether a text can be one of our barcodes. */
export function isBarcode(text: string): boolean {
  return /^2\d{15}$/.test(text) && checkDigit(text.slice(0, -1)) === text.at(-1)
}

/** Luhn's check digit detects every single wrong digit and nearly every swap of two adjacent digits. */
export function checkDigit(digits: string): string {
  let sum = 0
  for (let i = 0; i < digits.length; i++) {
    const digit = Number(digits[digits.length - 1 - i])
    const doubled = i % 2 === 0 ? digit * 2 : digit
    sum += doubled > 9 ? doubled - 9 : doubled
  }
  return String((10 - (sum % 10)) % 10)
}
