import { describe, expect, test } from 'vitest'
import { parseDuration, parseTimeOfDay, parseTimestamp } from './iso-time.ts'
import { addDuration, localDay, localTime } from './local-time.ts'

describe('timestamps', () => {
  test.each([
    { text: '2026-03-10T08:00:00Z', at: '2026-03-10T08:00:00.000Z' },
    { text: '2026-03-10T08:00Z', at: '2026-03-10T08:00:00.000Z' },
    { text: '2026-03-10T08:00:00.125+02:00', at: '2026-03-10T06:00:00.125Z' },
    { text: '2026-03-10T08:00:00-05:30', at: '2026-03-10T13:30:00.000Z' },
    { text: '2028-02-29T00:00:00Z', at: '2028-02-29T00:00:00.000Z' },
  ])('$text is an instant', ({ text, at }) =>
    expect(parseTimestamp(text)).toEqual({ ms: Date.parse(at), isLocal: false }),
  )

  test.each(['2026-03-10', '2026-03-10T08:00', '2026-03-10T08:00:30'])('%s is local', (text) =>
    expect(parseTimestamp(text)?.isLocal).toBe(true),
  )

  test.each([
    '',
    'tomorrow',
    '2026-02-29T00:00:00Z',
    '2026-13-01T00:00:00Z',
    '2026-00-01',
    '2026-03-32',
    '2026-03-10T24:00:00Z',
    '2026-03-10T08:60:00Z',
    '2026-03-10 08:00:00Z',
    '10.03.2026',
    '2026-3-1',
    '2026-03-10T08:00:00+25:00',
    '1e9',
  ])('%j is none', (text) => expect(parseTimestamp(text)).toBeUndefined())
})

describe('times of the day', () => {
  test.each([
    ['00:00', 0],
    ['08:30', 510],
    ['23:59', 1439],
  ])('%s', (text, minute) => expect(parseTimeOfDay(text)).toBe(minute))
  test.each(['24:00', '25:00', '8:00', '08:60', '08:00:00', '', '-1:00', '٠٨:٠٠'])('%j is none', (text) =>
    expect(parseTimeOfDay(text)).toBeUndefined(),
  )
})

describe('durations', () => {
  test.each([
    ['P12M', { months: 12, days: 0, seconds: 0 }],
    ['P1Y6M', { months: 18, days: 0, seconds: 0 }],
    ['P2W', { months: 0, days: 14, seconds: 0 }],
    ['P1DT12H', { months: 0, days: 1, seconds: 43_200 }],
    ['PT1S', { months: 0, days: 0, seconds: 1 }],
  ])('%s', (text, duration) => expect(parseDuration(text)).toEqual(duration))
  test.each([
    '',
    'P',
    'PT',
    'P0D',
    '12M',
    'P-1M',
    'P1.5M',
    'P1M1Y',
    'P101Y',
    'P99999999999999999999D',
    'P1',
    'p12m',
    'P1DT',
  ])('%j is none', (text) => expect(parseDuration(text)).toBeUndefined())
})

describe('the wall clock', () => {
  const instant = (text: string) => new Date(text)
  const add = (at: string, text: string, timezone: string) =>
    addDuration(instant(at), parseDuration(text)!, timezone).toISOString()

  test('shows the local day, time and weekday', () => {
    expect(localDay(instant('2026-03-10T23:00:00Z'), 'Europe/Athens')).toBe('2026-03-11')
    expect(localDay(instant('2026-03-10T05:00:00Z'), 'America/Los_Angeles')).toBe('2026-03-09')
    expect(localTime(instant('2026-03-10T23:00:00Z'), 'Asia/Kathmandu')).toMatchObject({
      weekday: 2,
      minute: 285,
    })
    expect(localTime(instant('1969-12-31T23:00:00Z'), 'UTC')).toMatchObject({ weekday: 2, minute: 1380 })
  })

  test.each([
    {
      rule: 'keeps to the last day of a shorter month',
      at: '2026-01-31T10:00:00Z',
      text: 'P1M',
      to: '2026-02-28T10:00:00.000Z',
    },
    { rule: 'knows leap years', at: '2028-01-31T10:00:00Z', text: 'P1M', to: '2028-02-29T10:00:00.000Z' },
    { rule: 'goes over years', at: '2026-11-30T10:00:00Z', text: 'P1Y3M', to: '2028-02-29T10:00:00.000Z' },
    {
      rule: 'adds months before days',
      at: '2026-01-31T10:00:00Z',
      text: 'P1M1D',
      to: '2026-03-01T10:00:00.000Z',
    },
  ])('$rule', ({ at, text, to }) => expect(add(at, text, 'UTC')).toBe(to))

  test('keeps the local time when clocks change', () => {
    expect(add('2026-03-28T10:00:00Z', 'P1D', 'Europe/Athens')).toBe('2026-03-29T09:00:00.000Z')
    expect(add('2026-03-28T10:00:00Z', 'PT24H', 'Europe/Athens')).toBe('2026-03-29T10:00:00.000Z')
  })

  test('moves on when the local time is skipped, and takes the first when it comes twice', () => {
    // 03:30 on 28 March; 03:30 on the 29th does not exist.
    expect(add('2026-03-28T01:30:00Z', 'P1D', 'Europe/Athens')).toBe('2026-03-29T01:30:00.000Z')
    // 03:30 on 24 October; 03:30 on the 25th comes at 00:30 and again at 01:30 UTC.
    expect(add('2026-10-24T00:30:00Z', 'P1D', 'Europe/Athens')).toBe('2026-10-25T00:30:00.000Z')
  })
})
