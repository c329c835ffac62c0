/** Numbers, money and dates in the reader's language and the organization's currency and time zone. */
import i18next from 'i18next'
import { isolate } from './languages.ts'

/** How far the clock of a test organization is ahead of the browser's. */
let aheadMs = 0

export function setAhead(seconds: number): void {
  aheadMs = seconds * 1000
}

/** By the organization's clock. */
const today = () => new Date(Date.now() + aheadMs)

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

const digits = (decimals: number | undefined) =>
  decimals === undefined
    ? { maximumFractionDigits: 6 }
    : { minimumFractionDigits: decimals, maximumFractionDigits: decimals }

export function formatNumber(value: number, decimals?: number): string {
  return remembered(
    `n${decimals ?? ''}`,
    () => new Intl.NumberFormat(i18next.language, digits(decimals)),
  ).format(value)
}

/** Change of a balance: "+35", "−100". */
export function formatSigned(value: number, decimals?: number): string {
  return remembered(
    `±${decimals ?? ''}`,
    () => new Intl.NumberFormat(i18next.language, { ...digits(decimals), signDisplay: 'exceptZero' }),
  )
    .format(value)
    .replace('-', '−')
}

export function formatMoney(value: number, currency: string): string {
  const format = remembered(
    `m${currency}`,
    () => new Intl.NumberFormat(i18next.language, { style: 'currency', currency }),
  )
  return inParts(format, value)
}

/** The currency symbol keeps its own direction, and a negative amount has a minus sign, not a hyphen. */
const inParts = (format: Intl.NumberFormat, value: number): string =>
  format
    .formatToParts(value)
    .map(({ type, value }) => (type === 'currency' ? isolate(value) : value.replace('-', '−')))
    .join('')

/** An unrounded amount, which may be finer than the currency's smallest unit, such as a point's worth. */
export function formatFineMoney(value: number, currency: string): string {
  const options = { style: 'currency', currency, minimumFractionDigits: currencyDecimals(currency) } as const
  const format = remembered(
    `f${currency}`,
    () => new Intl.NumberFormat(i18next.language, { ...options, maximumFractionDigits: 6 }),
  )
  return inParts(format, value)
}

/** Formats 0.125 as "12.5%". */
export function formatPercent(share: number): string {
  return remembered(
    'percent',
    () => new Intl.NumberFormat(i18next.language, { style: 'percent', maximumFractionDigits: 6 }),
  ).format(share)
}

/** Number of decimals in amounts of this currency. */
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

/** Short form of a local day such as 2026-03-14, for the axis of a chart. */
export function formatDay(day: string): string {
  return remembered(
    'day',
    () => new Intl.DateTimeFormat(i18next.language, { day: 'numeric', month: 'short', timeZone: 'UTC' }),
  ).format(new Date(`${day}T00:00:00Z`))
}

/** Longer form of a local day, with the year if it is not the current one. */
export function formatDayOfYear(day: string): string {
  return day.startsWith(`${today().getFullYear()}-`) ? formatDay(day) : formatDays(day, day)
}

/** One day or a range, with the year: "Mar 1 – 14, 2026". Text that is not a day stays unchanged. */
export function formatDays(from: string, to: string): string {
  const [first, last] = [from, to].map((day) => new Date(`${day}T00:00:00Z`)) as [Date, Date]
  if (Number.isNaN(first.getTime()) || Number.isNaN(last.getTime()))
    return from === to ? from : `${from} – ${to}`
  return remembered(
    'days',
    () => new Intl.DateTimeFormat(i18next.language, { dateStyle: 'medium', timeZone: 'UTC' }),
  ).formatRange(first, last)
}

/** The current local day, such as 2026-03-14. The Swedish locale writes dates in ISO format. */
export function dayIn(timeZone: string): string {
  return new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short' }).format(today())
}

/** Date and time with seconds, since requests follow each other quickly. */
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

/** Seconds per unit, and how many of the unit make up the next larger one. */
const units = [
  ['second', 1, 60],
  ['minute', 60, 60],
  ['hour', 3_600, 24],
  ['day', 86_400, 30],
  ['month', 2_592_000, 12],
  ['year', 31_536_000, Number.POSITIVE_INFINITY],
] as const

/** Relative time: "in 3 days", "2 hours ago". Rounds first: 59.6 minutes are an hour, not 60 minutes. */
export function formatRelative(at: string | Date, now = Date.now()): string {
  const seconds = (new Date(at).getTime() - now) / 1000
  const count = (size: number) => Math.round(seconds / size)
  const [unit, size] = units.find(([, size, most]) => Math.abs(count(size)) < most)!
  return remembered(
    'relative',
    () => new Intl.RelativeTimeFormat(i18next.language, { numeric: 'auto' }),
  ).format(count(size), unit)
}

/** "Points, stamps and credit". */
export function formatList(texts: readonly string[]): string {
  return remembered('list', () => new Intl.ListFormat(i18next.language, { type: 'conjunction' })).format(
    texts.map(isolate),
  )
}

/** "Espresso, latte or cappuccino". */
export function formatChoice(texts: readonly string[]): string {
  return remembered('choice', () => new Intl.ListFormat(i18next.language, { type: 'disjunction' })).format(
    texts.map(isolate),
  )
}

/** Decimal separator for number inputs. */
export function decimalSeparator(): string {
  const parts = remembered('separator', () => new Intl.NumberFormat(i18next.language)).formatToParts(1.5)
  return parts.find(({ type }) => type === 'decimal')?.value ?? '.'
}

/** Local time in the time zone, such as `2026-03-14T09:26`, as `datetime-local` fields write it. */
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
  const part = (type: string) => parts.find((part) => part.type === type)?.value ?? ''
  return `${part('year').padStart(4, '0')}-${part('month')}-${part('day')}T${part('hour')}:${part('minute')}`
}
