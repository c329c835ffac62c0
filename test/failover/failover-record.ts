/** What a failure did, in `bench/results/failover.json`. */
export interface FailoverRecord {
  readonly versions: Readonly<Record<string, string>>
  readonly nodes: number
  readonly isSynchronous: boolean
  /** Of both services together. */
  readonly callers: number
  /** Its settings, of which `ttl` is most of the time without service. */
  readonly patroni: Readonly<Record<string, number>>
  readonly failure: string
  /** By the way that the service reaches the cluster; 0 if no pause was longer than a second. */
  readonly secondsWithoutService: Readonly<Record<string, number>>
  readonly requests?: number
  readonly acknowledged: number
  /** Writes that got a 503 or no response and were sent again. */
  readonly unknown: number
  /** Of these, those that had been written the first time. */
  readonly found: number
  readonly lost: number
  readonly doubled: number
  readonly problems: readonly string[]
}
