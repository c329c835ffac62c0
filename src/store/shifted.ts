/**
 * SQL for a time that is earlier or later. Of a `timestamptz`, PostgreSQL takes it to depend on the session, since a day
 * can have 23 hours; in UTC it cannot, and so a cluster lets it be computed on the node that has the row.
 */
export const shifted = (time: string, by: `${'+' | '-'} ${string}`): string =>
  `((${time} AT TIME ZONE 'UTC' ${by}) AT TIME ZONE 'UTC')`
