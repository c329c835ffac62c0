/** Numbers, money and dates as the reader's language writes them, in the organization's currency and time zone. */
import i18next from 'i18next'
import { isolate } from './i18n.ts'

type Format = Intl.NumberFormat | Intl.DateTimeFormat | Intl.RelativeTimeFormat | Intl.ListFormat
const cache = new Map<string, Format>()

function remembered<T extends Format>(key: string, make: () => T): T {
  const full = `${i18next.language} ${key}`
  const known = cache.get(full) as T | undefined
  if (known) return known
  const made = make()
  cache.set(full, made)
  return made
}

export function formatNumber(value: number, decimals?: number): string {
  const options =
    decimals === undefined
      ? { maximumFractionDigits: 6 }
      : { minimumFractionDigits: decimals, maximumFractionDigits: decimals }
  return remembered(`n${decimals ?? ''}`, () => new Intl.NumberFormat(i18next.language, options)).format(
    value,
  )
}

export function formatMoney(value: number, currency: string): string {
  const format = remembered(
    `m${currency}`,
    () => new Intl.NumberFormat(i18next.language, { style: 'currency', currency }),
  )
  const parts = format.formatToParts(value)
  return parts.map(({ type, value }) => (type === 'currency' ? isolate(value) : value)).join('')
}

/** How many decimals amounts of this currency are written with. */
export function currencyDecimals(currency: string): number {
  const format = remembered(
    `m${currency}`,
    () => new Intl.NumberFormat(i18next.language, { style: 'currency', currency }),
  )
  return format.resolvedOptions().maximumFractionDigits ?? 2
}

export function formatShare(value: number): string {
  return remembered(
    'share',
    () =>
      new Intl.NumberFormat(i18next.language, {
        style: 'percent',
        maximumFractionDigits: 0,
        signDisplay: 'exceptZero',
      }),
  ).format(value)
}

export function formatDate(at: string | Date, timeZone?: string): string {
  return remembered(
    `d${timeZone}`,
    () => new Intl.DateTimeFormat(i18next.language, { dateStyle: 'medium', timeZone }),
  ).format(new Date(at))
}

export function formatDateTime(at: string | Date, timeZone?: string): string {
  return remembered(
    `t${timeZone}`,
    () => new Intl.DateTimeFormat(i18next.language, { dateStyle: 'medium', timeStyle: 'short', timeZone }),
  ).format(new Date(at))
}

/** A local day such as 2026-03-14, short, for the axis of a chart. */
export function formatDay(day: string): string {
  return remembered(
    'day',
    () => new Intl.DateTimeFormat(i18next.language, { day: 'numeric', month: 'short', timeZone: 'UTC' }),
  ).format(new Date(`${day}T00:00:00Z`))
}

/** One day or several in a row, with the year: "Mar 1 – 14, 2026". What is no day stays as it is written. */
export function formatDays(from: string, to: string): string {
  const [first, last] = [from, to].map((day) => new Date(`${day}T00:00:00Z`)) as [Date, Date]
  if (Number.isNaN(first.getTime()) || Number.isNaN(last.getTime()))
    return from === to ? from : `${from} – ${to}`
  return remembered(
    'days',
    () => new Intl.DateTimeFormat(i18next.language, { dateStyle: 'medium', timeZone: 'UTC' }),
  ).formatRange(first, last)
}

/** The local day now, such as 2026-03-14. Sweden writes dates as ISO does. */
export function dayIn(timeZone: string): string {
  return new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short' }).format(new Date())
}

/** To the second: calls follow each other quickly. */
export function formatMoment(at: string | Date, timeZone?: string): string {
  return remembered(
    `s${timeZone}`,
    () =>
      new Intl.DateTimeFormat(i18next.language, {
        day: 'numeric',
        month: 'short',
        hour: '2-digit',
        minute: '2-digit',
        second: '2-digit',
        timeZone,
      }),
  ).format(new Date(at))
}

const steps = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const

/** "in 3 days", "2 hours ago". */
export function formatRelative(at: string | Date, now = Date.now()): string {
  const seconds = (new Date(at).getTime() - now) / 1000
  const [unit, size] = steps.find(([, size]) => Math.abs(seconds) >= size) ?? (['second', 1] as const)
  return remembered(
    'relative',
    () => new Intl.RelativeTimeFormat(i18next.language, { numeric: 'auto' }),
  ).format(Math.round(seconds / size), unit)
}

/** "Points, stamps and credit". */
export function formatList(texts: readonly string[]): string {
  return remembered('list', () => new Intl.ListFormat(i18next.language, { type: 'conjunction' })).format(
    texts,
  )
}

/** What stands between the whole and its decimals, for fields that numbers are typed into. */
export function decimalSeparator(): string {
  const parts = remembered('separator', () => new Intl.NumberFormat(i18next.language)).formatToParts(1.5)
  return parts.find(({ type }) => type === 'decimal')?.value ?? '.'
}

/** `2026-03-14T09:26`, what the clock on a wall in the time zone says, as `datetime-local` fields write it. */
export function toWallClock(at: Date, timeZone: string): string {
  const parts = remembered(
    `w${timeZone}`,
    () =>
      new Intl.DateTimeFormat('en-CA', {
        timeZone,
        hourCycle: 'h23',
        year: 'numeric',
        month: '2-digit',
        day: '2-digit',
        hour: '2-digit',
        minute: '2-digit',
      }),
  ).formatToParts(at)
  const part = (type: string) => parts.find((one) => one.type === type)?.value ?? ''
  return `${part('year').padStart(4, '0')}-${part('month')}-${part('day')}T${part('hour')}:${part('minute')}`
}
