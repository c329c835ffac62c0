/** What tills met when something failed. */
export interface Outcome {
  readonly versions: Readonly<Record<string, string>>
  readonly failure: string
  /** Of both services together. */
  readonly callers: number
  /** By the way that the service reaches the database; 0 if no pause was longer than a second. */
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

/** What a failure of a Patroni cluster did, in `bench/results/failover.json`. */
export interface FailoverRecord extends Outcome {
  readonly nodes: number
  readonly isSynchronous: boolean
  /** Its settings, of which `ttl` is most of the time without service. */
  readonly patroni: Readonly<Record<string, number>>
}

/** What the loss of a server of a Citus cluster did, in `bench/results/citus-failover.json`. */
export interface CitusFailoverRecord extends Outcome {
  readonly organizations: number
  /** Of them, those that have their data on the server; for the coordinator, all of them. */
  readonly affected: number
  /** Of the others, if there are any. In both, of the organization that had to wait longest. */
  readonly secondsOfOthers?: Outcome['secondsWithoutService']
  /** From the loss until somebody promotes the standby. */
  readonly noticedAfterSeconds: number
}
