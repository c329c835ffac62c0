/** Decimals of the currencies that do not have two (ISO 4217). */
const unusual: Record<string, number> = {
  BIF: 0,
  CLP: 0,
  DJF: 0,
  GNF: 0,
  ISK: 0,
  JPY: 0,
  KMF: 0,
  KRW: 0,
  PYG: 0,
  RWF: 0,
  UGX: 0,
  UYI: 0,
  VND: 0,
  VUV: 0,
  XAF: 0,
  XOF: 0,
  XPF: 0,
  BHD: 3,
  IQD: 3,
  JOD: 3,
  KWD: 3,
  LYD: 3,
  OMR: 3,
  TND: 3,
  CLF: 4,
  UYW: 4,
}

/**
 * Our own table instead of the runtime's: stored minor units must not change their meaning when the locale
 * data of a newer Node disagrees (it has, for the Icelandic króna and the Iraqi dinar).
 */
export function currencyDecimals(currency: string): number {
  return unusual[currency] ?? 2
}
