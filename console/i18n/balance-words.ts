/**
 * Balances in words, on all three pages. Their names are the merchant's own and have no singular, so the name
 * comes before the number and never has to agree with it.
 */
import i18next from 'i18next'
import { formatNumber, formatSigned } from './format.ts'

export interface NamedBalance {
  readonly name: string
  /** Defaults to as many as the number has. */
  readonly decimals?: number
}

/** "Stamps: 1". */
export const holdingWords = ({ name, decimals }: NamedBalance, value: number): string =>
  i18next.t('balances:holding', { name, value: formatNumber(value, decimals) })

/** "Stamps +1", "Points −100". */
export const changeWords = ({ name, decimals }: NamedBalance, change: number): string =>
  i18next.t('balances:change', { name, change: formatSigned(change, decimals) })

export interface Towards {
  readonly have: number
  readonly need: number
  /** Name of the reward. */
  readonly reward: string
}

/**
 * "Free coffee · Stamps earned toward the next coupon: 7 of 10". What was earned counts: if the coupon does
 * not use it up, that can be more than the current balance.
 */
export const progressWords = ({ name, decimals }: NamedBalance, { have, need, reward }: Towards): string =>
  i18next.t('balances:progress', {
    name,
    have: formatNumber(have, decimals),
    need: formatNumber(need, decimals),
    reward,
  })

/** Several balances in one line: "Points: 35 · Stamps: 2". */
export const inOneLine = (texts: readonly string[]): string => texts.join(' · ')
