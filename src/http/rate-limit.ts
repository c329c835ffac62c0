/**
 * A bucket of calls per key that refills steadily: a short burst passes, a steady flood does not. Kept in this
 * process only; several processes together allow as many times the limit.
 */
export interface RateLimit {
  /** Takes one call; how long to wait, in whole seconds, when there is none left. */
  take(key: string | number, now: Date): { readonly isAllowed: boolean; readonly retryAfterSeconds: number }
}

const maxKeys = 100_000

export function createRateLimit(perSecond: number, burst = perSecond): RateLimit {
  const buckets = new Map<string | number, { tokens: number; at: number }>()
  return {
    take(key, now) {
      const at = now.getTime()
      const bucket = buckets.get(key) ?? { tokens: burst, at }
      // A clock that steps back refills nothing and takes nothing away.
      const elapsedMs = Math.max(0, at - bucket.at)
      const tokens = Math.min(burst, bucket.tokens + (elapsedMs * perSecond) / 1000)
      const isAllowed = tokens >= 1
      if (buckets.size >= maxKeys && !buckets.has(key)) buckets.delete(buckets.keys().next().value!)
      buckets.set(key, { tokens: isAllowed ? tokens - 1 : tokens, at: Math.max(at, bucket.at) })
      return { isAllowed, retryAfterSeconds: Math.max(1, Math.ceil((1 - tokens) / perSecond)) }
    },
  }
}
