/** Creates the barcodes of cards. */
import { randomInt } from 'node:crypto'
import { barcodeDigits, checkDigit } from '../../domain/barcode.ts'

/** Random, so that barcodes cannot be guessed; with fourteen free digits a collision is very unlikely. */
export function newBarcode(): string {
  let digits = '2'
  while (digits.length < barcodeDigits - 1) digits += randomInt(10)
  return digits + checkDigit(digits)
}
