/** What groups of baskets and batches of lookups take of a pool of connections. */
import type { Pool } from 'pg'

/** Requests that need a connection of their own find one. */
const connectionsForOthers = 2

/** How many groups, or batches of one kind, may run at the same time in all. */
export const connectionsForGroups = (pool: Pool): number =>
  Math.max(2, pool.options.max - connectionsForOthers)

/** How many groups may have a connection to themselves while they wait for locks, briefly and for long each. */
export const connectionsForWaiting = (pool: Pool): number => Math.floor(connectionsForGroups(pool) / 2)
