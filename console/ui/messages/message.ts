/** Messages to customers and what sends them, for the pages about them and for that of a customer. */
import { queryOptions } from '@tanstack/react-query'
import i18next from 'i18next'
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

type Attempt = Message['attempts'][number]

/** Codes whose words of the service have more, such as the name of a server or a status. */
const detailed = ['unreachable', 'no_safe_connection', 'provider_failed']

/** Why an attempt failed. Older ones have only the words of the service. */
export function failureOf({ code, error }: Attempt): string | undefined {
  const key = `messages:failure.${code}`
  if (code === undefined || !i18next.exists(key)) return error
  const words = i18next.t(key)
  return detailed.includes(code) && error ? `${words} (${error})` : words
}

/** Why the last attempt failed, and what the mail server or the provider said. */
export function troubleOf({ attempts }: Message): string | undefined {
  const last = attempts.at(-1)
  return (
    last && ([failureOf(last), last.response].filter((text) => text !== undefined).join(' ') || undefined)
  )
}
