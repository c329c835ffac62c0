/**
 * Token bucket per key, refilled steadily: a short burst passes, a steady flood does not. It lives in this
 * process only; several processes share a limit by each taking its part of it.
 */
export interface RateLimit {
  readonly perSecond: number
  readonly burst: number
  /** Takes one token. The returned bucket is reused to avoid allocations: read it before the next `take`. */
  take(key: string | number, nowMs: number): Bucket
  /** Gives a token back, for a request that does not count after all. */
  giveBack(key: string | number): void
  /** Whether a token is left, without taking it. */
  has(key: string | number, nowMs: number): boolean
}

export interface Bucket {
  /** Tokens left; may be fractional. */
  left: number
  /** Whether the last request was allowed. */
  isAllowed: boolean
  /** Refused requests, decaying over time. More than a burst of them means that a client ignores refusals. */
  debt: number
  atMs: number
}

const maxKeys = 100_000

export function createRateLimit(perSecond: number, burst = perSecond): RateLimit {
  const buckets = new Map<string | number, Bucket>()

  function refill(bucket: Bucket, nowMs: number): void {
    // A clock that steps back neither refills nor drains the bucket.
    if (nowMs <= bucket.atMs) return
    const grown = ((nowMs - bucket.atMs) * perSecond) / 1000
    bucket.left = Math.min(burst, bucket.left + grown)
    bucket.debt = Math.max(0, bucket.debt - grown)
    bucket.atMs = nowMs
  }

  function open(key: string | number, nowMs: number): Bucket {
    if (buckets.size >= maxKeys) makeRoom(nowMs)
    const bucket = { left: burst, isAllowed: true, debt: 0, atMs: nowMs }
    buckets.set(key, bucket)
    return bucket
  }

  /**
   * Evicts a bucket that is full again, which loses nothing; if none of a hundred is, it evicts the oldest.
   */
  function makeRoom(nowMs: number): void {
    let looked = 0
    for (const [key, bucket] of buckets) {
      refill(bucket, nowMs)
      if (bucket.left >= burst) {
        buckets.delete(key)
        return
      }
      if (++looked === 100) break
    }
    buckets.delete(buckets.keys().next().value!)
  }

  return {
    perSecond,
    burst,
    take(key, nowMs) {
      const bucket = buckets.get(key) ?? open(key, nowMs)
      refill(bucket, nowMs)
      bucket.isAllowed = bucket.left >= 1
      if (bucket.isAllowed) bucket.left--
      else bucket.debt = Math.min(2 * burst, bucket.debt + 1)
      return bucket
    },
    giveBack(key) {
      const bucket = buckets.get(key)
      if (bucket) bucket.left = Math.min(burst, bucket.left + 1)
    },
    has(key, nowMs) {
      const bucket = buckets.get(key)
      if (!bucket) return true
      refill(bucket, nowMs)
      return bucket.left >= 1
    },
  }
}

/** Whether requests keep arriving at more than twice the limit, although they are refused. */
export function isFlooded({ debt }: Bucket, { burst }: RateLimit): boolean {
  return debt > burst
}

/** Whole seconds until the next request is allowed. */
export function secondsToWait({ left }: Bucket, { perSecond }: RateLimit): number {
  return Math.max(1, Math.ceil((1 - left) / perSecond))
}
