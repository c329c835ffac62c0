/**
 * How long each kind of load runs before it is measured. Code that has just begun to be used is interpreted, and
 * PostgreSQL plans each statement for the first time: a service needs some ten seconds under load until it is as fast
 * as it will be.
 */
export const firstWarmUpMs = 5_000

/** Before each measurement: connections that were idle for a minute have been closed, and new ones plan again. */
export const nextWarmUpMs = 1_500
