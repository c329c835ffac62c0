import { queryOptions } from '@tanstack/react-query'
import { getReceived, getSource, type Source } from './requests.ts'

export const sourceKinds = ['square', 'shopify', 'json'] as const

const waitingMs = 2_000

/** A source, asked for again until its first request has been received. */
export const sourceQuery = (id: string) =>
  queryOptions({
    queryKey: ['sources', 'one', id],
    queryFn: () => getSource(id),
    refetchInterval: ({ state: { data } }) => (data && isSilent(data) ? waitingMs : false),
  })

const firstAttemptMs = 500
const laterAttemptMs = 5_000

/** Something received, asked for again until it is done. */
export const receivedQuery = (id: string) =>
  queryOptions({
    queryKey: ['received', 'one', id],
    queryFn: () => getReceived(id),
    refetchInterval: ({ state: { data } }) => {
      if (data?.status !== 1) return false
      return data.attempts === 0 ? firstAttemptMs : laterAttemptMs
    },
  })

/** Name of the `DataList` of what a source has received. */
export const receivedOf = (source: string): string => `received-${source}`

export const isPaused = ({ status }: Source): boolean => status === 'paused'

/** Whether nothing has been received yet. */
export const isSilent = ({ lastReceivedAt }: Source): boolean => lastReceivedAt === undefined

/** Square only sends the number of an order, which is then fetched with the token. */
const lacksToken = ({ kind, hasAccessToken }: Source): boolean => kind === 'square' && !hasAccessToken

/** Whether the last request was rejected, and nothing was changed about the source since then. */
const isRejected = ({ lastReceivedAt = '', lastRejectedAt = '', updatedAt }: Source): boolean =>
  lastRejectedAt > lastReceivedAt && lastRejectedAt > updatedAt

/** What a person has to know about a source at first sight. */
export function stateOf(source: Source) {
  if (isPaused(source)) return 'paused'
  if (!source.hasSecret) return 'noSecret'
  if (lacksToken(source)) return 'noToken'
  if (isRejected(source)) return 'rejected'
  return isSilent(source) ? 'waiting' : 'active'
}

/** Whether somebody still has something to do before sales come in. */
export const isUnfinished = (source: Source): boolean =>
  !source.hasSecret || lacksToken(source) || isSilent(source)
