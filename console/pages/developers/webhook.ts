import { queryOptions } from '@tanstack/react-query'
import { api, dataOf, type Schemas } from '../../api/client.ts'

export type Webhook = Schemas['Webhook']
export type Delivery = Schemas['Delivery']

export const webhookQuery = (id: string) =>
  queryOptions({
    queryKey: ['webhooks', 'one', id],
    queryFn: () => dataOf(api.GET('/v1/webhooks/{id}', { params: { path: { id } } })),
  })

const firstAttemptMs = 500
const laterAttemptMs = 5_000

/** A delivery, asked for again until its last attempt. */
export const deliveryQuery = (id: string) =>
  queryOptions({
    queryKey: ['deliveries', 'one', id],
    queryFn: () => dataOf(api.GET('/v1/deliveries/{id}', { params: { path: { id } } })),
    refetchInterval: ({ state: { data } }) => {
      if (data?.status !== 1) return false
      return data.attempts.length === 0 ? firstAttemptMs : laterAttemptMs
    },
  })

/** Name of the `DataList` of a webhook's deliveries. */
export const deliveriesOf = (webhook: string): string => `deliveries-${webhook}`

export const nameOf = ({ description, url }: Webhook): string => description ?? url

/** What a person has to know about a webhook at first sight. */
export function stateOf({ status, pausedBecause, failingSince }: Webhook) {
  if (status === 'active') return failingSince === undefined ? 'active' : 'failing'
  if (pausedBecause === 'failing') return 'pausedFailing'
  return pausedBecause === 'gone' ? 'gone' : 'manual'
}
