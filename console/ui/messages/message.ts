/** Messages to customers and what sends them, for the pages about them and for that of a customer. */
import { queryOptions } from '@tanstack/react-query'
import { api, dataOf, type Schemas } from '../../api/client.ts'

export type Message = Schemas['Message']
export type Sender = Schemas['Sender']
export type Channel = Schemas['Channel']

export const channels = ['email', 'sms'] as const satisfies readonly Channel[]

export const sendersQuery = queryOptions({
  queryKey: ['senders'],
  queryFn: async () => (await dataOf(api.GET('/v1/senders'))).data,
})

export const getMessage = (id: string): Promise<Message> =>
  dataOf(api.GET('/v1/messages/{id}', { params: { path: { id } } }))

const moment = 500
const later = 5_000

/** Whether it has been sent, or will not be by itself. */
export const isOver = ({ status }: Message): boolean => status > 2

/** A message, asked for again until it is over. */
export const messageQuery = (id: string) =>
  queryOptions({
    queryKey: ['messages', 'one', id],
    queryFn: () => getMessage(id),
    refetchInterval: ({ state: { data } }) => {
      if (data === undefined || isOver(data)) return false
      return data.attempts.length === 0 ? moment : later
    },
  })

const followedMs = 20_000

/** Waits until a message was tried, or for as long as somebody can be kept waiting. */
export async function followMessage(message: Message): Promise<Message> {
  const until = Date.now() + followedMs
  let current = message
  while (!isOver(current) && current.attempts.length === message.attempts.length && Date.now() < until) {
    await new Promise((resolve) => setTimeout(resolve, moment))
    current = await getMessage(message.id)
  }
  return current
}

/** Why the last attempt failed, in the words of the service, the mail server or the provider. */
export function troubleOf({ attempts }: Message): string | undefined {
  const { error, response } = attempts.at(-1) ?? {}
  return [error, response].filter((text) => text !== undefined).join(' ') || undefined
}
