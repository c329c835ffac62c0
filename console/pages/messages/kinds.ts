import { queryOptions } from '@tanstack/react-query'
import { api, dataOf, type Schemas } from '../../api/client.ts'

export type Kind = Schemas['MessageKindSettings']
export type MessageText = Schemas['MessageTextView']

export const kindsQuery = queryOptions({
  queryKey: ['message-kinds'],
  queryFn: async () => (await dataOf(api.GET('/v1/message-kinds'))).data,
  // The figures of what was sent meanwhile.
  staleTime: 0,
})

export const textsQuery = (kind: string) =>
  queryOptions({
    queryKey: ['message-texts', kind],
    queryFn: async () =>
      (await dataOf(api.GET('/v1/message-kinds/{kind}/texts', { params: { path: { kind } } }))).data,
  })

/** A test needs no words of the merchant, and codes are not sent yet. */
export const shownKinds = [
  'card_link',
  'card_opened',
  'reward_earned',
  'coupon_expiring',
  'points_expiring',
  'birthday',
  'not_seen',
  'invitation',
  'password_reset',
  'webhook_paused',
] as const satisfies readonly Kind['kind'][]

export const isShown = ({ kind }: Kind): boolean => shownKinds.some((shown) => shown === kind)
