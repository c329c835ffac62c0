import { expect, test } from 'vitest'
import { afterAttempt, hasFailedForLong, pauseOfFailing } from './webhook.ts'

const now = new Date('2026-03-01T00:00:00Z')
const inSeconds = (seconds: number) => new Date(now.getTime() + seconds * 1_000)

test('a delivery is tried ten times over three days, and then given up', () => {
  const pauses = Array.from({ length: 9 }, (_, i) => afterAttempt(i + 1, { status: 500 }, now, 0))
  expect(pauses).toEqual(
    [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400].map((pause) => ({
      retryAt: inSeconds(pause),
    })),
  )
  expect(afterAttempt(10, { status: 500 }, now, 0)).toEqual({ kind: 'failed' })
})

test('deliveries that failed together are spread', () => {
  expect(afterAttempt(2, {}, now, 0.5)).toEqual({ retryAt: inSeconds(330) })
})

test('a receiver can ask for more time, up to a day', () => {
  expect(afterAttempt(1, { status: 429, retryAfterMs: 60_000 }, now, 0)).toEqual({ retryAt: inSeconds(60) })
  expect(afterAttempt(1, { status: 503, retryAfterMs: 1e12 }, now, 0)).toEqual({ retryAt: inSeconds(86_400) })
  expect(afterAttempt(2, { status: 503, retryAfterMs: 1 }, now, 0)).toEqual({ retryAt: inSeconds(300) })
})

test('any 2xx is a success, a redirect is none, and 410 is final', () => {
  expect(afterAttempt(1, { status: 204 }, now, 0)).toEqual({ kind: 'delivered' })
  expect(afterAttempt(1, { status: 301 }, now, 0)).toEqual({ retryAt: inSeconds(5) })
  expect(afterAttempt(1, { status: 410 }, now, 0)).toEqual({ kind: 'failed' })
  expect(afterAttempt(1, { isEmpty: true }, now, 0)).toEqual({ kind: 'failed' })
})

test('a receiver that fails is left alone for longer and longer, and paused after five days', () => {
  expect(pauseOfFailing(now, now)).toBe(5_000)
  expect(pauseOfFailing(now, inSeconds(600))).toBe(60_000)
  expect(pauseOfFailing(now, inSeconds(86_400))).toBe(300_000)
  expect(hasFailedForLong(undefined, now)).toBe(false)
  expect(hasFailedForLong(now, inSeconds(5 * 86_400 - 1))).toBe(false)
  expect(hasFailedForLong(now, inSeconds(5 * 86_400))).toBe(true)
})
