/** Rules about secrets, tokens, and how requests are made and sent again. */
import type { Rule } from './rule.ts'
import {
  type Exchange,
  isAccepted,
  isReturn,
  isSale,
  isSameRequest,
  isTokenRequest,
  isUnanswered,
  nameOf,
} from './session.ts'

const authentication = 'Secrets and tokens'
const requests = 'Requests'
const repeats = 'Sending again'

/** A token may be renewed some time before it expires. */
const earlyMs = 300_000
/** A till that was restarted has lost its token, which is no habit. */
const restarts = 1
/** Clocks and timers of tills are not exact. */
const toleranceMs = 150
const shortestPauseMs = 50
const most = { sent: 5, withinMs: 5_000 }

/** The requests after one, until the end of the session. */
const after = (exchanges: readonly Exchange[], one: Exchange) =>
  exchanges.slice(exchanges.indexOf(one) + 1).filter(({ startedMs }) => startedMs >= one.endedMs)

export const trafficRules: readonly Rule[] = [
  {
    id: 'secrets.place',
    section: authentication,
    text: 'API key and secret are only sent to /auth/token, as headers, and tokens only in `Authorization`: URLs end up in logs.',
    check: ({ exchanges }) =>
      exchanges.length === 0
        ? undefined
        : exchanges.flatMap((one) => one.leaks.map((where) => `${nameOf(one)} had a secret ${where}`)),
  },
  {
    id: 'tokens.kept',
    section: authentication,
    text: 'A token is used until it expires, not asked for with every request.',
    check({ exchanges }) {
      const issuing = exchanges.filter(({ issued }) => issued !== undefined)
      if (issuing.length === 0) return undefined
      const needless = issuing.filter((one, i) => {
        const before = issuing[i - 1]
        if (!before) return false
        // Also if the service did not say until when.
        const isOld = !(one.startedMs <= before.issued!.expiresAtMs - earlyMs)
        const wasRefused = exchanges.some(
          ({ token, status, endedMs }) =>
            token === before.issued!.token && status === 401 && endedMs <= one.startedMs,
        )
        return !isOld && !wasRefused
      })
      if (needless.length <= restarts) return []
      return [`asked for ${needless.length} tokens while it had one that was valid`]
    },
  },
  {
    id: 'sales.receipt',
    section: requests,
    text: 'Every sale has a receipt number (`opaqueId`): without one, a sale that is sent again counts twice.',
    check({ exchanges }) {
      const sales = exchanges.filter(isSale)
      if (sales.length === 0) return undefined
      const without = sales.filter(({ body }) => typeof body?.opaqueId !== 'string' || body.opaqueId === '')
      return without.length === 0 ? [] : [`${without.length} of ${sales.length} sales had none`]
    },
  },
  {
    id: 'writes.key',
    section: requests,
    text: 'Every other write has an `Idempotency-Key` or a number of its own, so that it can be sent again.',
    check({ exchanges }) {
      const writes = exchanges.filter(
        (one) => isReturn(one) || /\/(?:adjustments|replace|coupons)$/.test(one.path),
      )
      const posted = writes.filter(({ method }) => method === 'POST')
      if (posted.length === 0) return undefined
      return posted
        .filter(({ idempotencyKey, body }) => idempotencyKey === undefined && !body?.opaqueId)
        .map((one) => `${nameOf(one)} had neither`)
    },
  },
  {
    id: 'fields.known',
    section: requests,
    text: 'The till sends no field that the service does not know: it is most likely misspelled, and has no effect.',
    check({ exchanges }) {
      if (exchanges.length === 0) return undefined
      const found = exchanges.flatMap((one) => one.ignored.map((name) => `${nameOf(one)} had ${name}`))
      return [...new Set(found)]
    },
  },
  {
    id: 'repeats.same',
    section: repeats,
    text: 'A sale that is sent again with its receipt number is exactly the same: another body is another sale.',
    check({ exchanges }) {
      const sales = exchanges.filter((one) => isSale(one) && one.body?.opaqueId !== undefined)
      const pairs = sales.flatMap((one, i) => {
        const earlier = sales.slice(0, i).findLast(({ body }) => body.opaqueId === one.body.opaqueId)
        return earlier ? [[earlier, one] as const] : []
      })
      if (pairs.length === 0) return undefined
      return (
        pairs
          // What was refused did not happen, so that it may be corrected.
          .filter(
            ([first, second]) => (isAccepted(first) || isUnanswered(first)) && !isSameRequest(first, second),
          )
          .map(([first]) => `receipt ${first.body.opaqueId} was sent again with another body`)
      )
    },
  },
  {
    id: 'repeats.pause',
    section: repeats,
    text: 'The till pauses before it sends a request again, longer each time, and does not storm a service in trouble.',
    check({ exchanges }) {
      const failed = exchanges.filter(isUnanswered)
      if (failed.length === 0) return undefined
      const again = (one: Exchange) => after(exchanges, one).filter((other) => isSameRequest(one, other))
      const hasty = failed.filter((one) => {
        const [next] = again(one)
        return next !== undefined && next.startedMs - one.endedMs < shortestPauseMs && isUnanswered(next)
      })
      const storms = failed.filter(
        (one) =>
          again(one).filter(({ startedMs }) => startedMs - one.endedMs < most.withinMs).length >= most.sent,
      )
      return [
        ...hasty.map((one) => `${nameOf(one)} was sent again at once, and failed again`),
        ...(storms.length > 0
          ? [
              `${nameOf(storms[0]!)} was sent more than ${most.sent} times within ${most.withinMs / 1000} seconds`,
            ]
          : []),
      ]
    },
  },
  {
    id: 'repeats.retry-after',
    section: repeats,
    text: 'After 429 or 503 the till waits as long as `Retry-After` says.',
    check({ exchanges }) {
      const asked = exchanges.filter(({ retryAfterMs }) => retryAfterMs !== undefined)
      const pairs = asked.flatMap((one) => {
        const next = after(exchanges, one).find((other) => isSameRequest(one, other))
        return next ? [[one, next] as const] : []
      })
      if (pairs.length === 0) return undefined
      return pairs
        .filter(([one, next]) => next.startedMs - one.endedMs < one.retryAfterMs! - toleranceMs)
        .map(
          ([one, next]) =>
            `${nameOf(one)} was to wait ${one.retryAfterMs! / 1000} s and was sent again after ${((next.startedMs - one.endedMs) / 1000).toFixed(1)} s`,
        )
    },
  },
  {
    id: 'refusals.unchanged',
    section: repeats,
    text: 'A request that was refused is not sent again unchanged: it is refused again.',
    check({ exchanges }) {
      const isRefused = ({ status = 0 }: Exchange) =>
        status >= 400 && status < 500 && ![401, 408, 425, 429].includes(status)
      const refused = exchanges.filter(
        (one) => one.method !== 'GET' && !isTokenRequest(one) && isRefused(one),
      )
      if (refused.length === 0) return undefined
      return refused
        .filter((one) => after(exchanges, one).some((other) => isSameRequest(one, other)))
        .map(
          (one) =>
            `${nameOf(one)} was refused with ${one.reply?.message ?? one.status} and sent again unchanged`,
        )
    },
  },
]
