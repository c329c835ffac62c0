/**
 * A bucket of calls per key that refills steadily: a short burst passes, a steady flood does not. Kept in this
 * process only; several processes share a limit by each taking its part of it.
 */
export interface RateLimit {
  readonly perSecond: number
  readonly burst: number
  /** Takes one call. The bucket is the same object each time, so read it at once: this runs with every call. */
  take(key: string | number, nowMs: number): Bucket
  /** Gives back a call that was taken and does not count after all. */
  giveBack(key: string | number): void
  /** Whether there is a call to take, without taking it. */
  has(key: string | number, nowMs: number): boolean
}

export interface Bucket {
  /** Calls left; a fraction of one is on its way. */
  left: number
  /** Whether the last call was allowed. */
  isAllowed: boolean
  /** Calls refused, less those that time has forgiven. Beyond a burst of them somebody does not listen. */
  debt: number
  atMs: number
}

const maxKeys = 100_000

export function createRateLimit(perSecond: number, burst = perSecond): RateLimit {
  const buckets = new Map<string | number, Bucket>()

  function refill(bucket: Bucket, nowMs: number): void {
    // A clock that steps back refills nothing and takes nothing away.
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

  /** Forgets a bucket that is full again, which loses nothing; among a hundred that are not, the oldest goes. */
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

/** Whether calls keep coming at more than twice the limit, although they are refused. */
export function isFlooded({ debt }: Bucket, { burst }: RateLimit): boolean {
  return debt > burst
}

/** Whole seconds until there is a call again. */
export function secondsToWait({ left }: Bucket, { perSecond }: RateLimit): number {
  return Math.max(1, Math.ceil((1 - left) / perSecond))
}
