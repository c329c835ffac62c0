/** Requests of the wallet page. It has no session of the console: its URL is all it knows. */
import { cardAddress } from './offline.ts'

interface CardRequest {
  readonly method?: 'POST' | 'PATCH'
  readonly body?: object
  /** What a code has opened. */
  readonly session?: string
  readonly signal?: AbortSignal
}

/** Rejects only if there is no response at all. */
export function requestCard(
  path: string,
  { method, body, session, signal }: CardRequest = {},
): Promise<Response> {
  return fetch(`${cardAddress}/${path}`, {
    method: method ?? 'GET',
    headers: {
      ...(body && { 'content-type': 'application/json' }),
      ...(session && { authorization: `Bearer ${session}` }),
    },
    body: body && JSON.stringify(body),
    signal,
  })
}

export async function readCard<T>(path: string): Promise<T> {
  const response = await requestCard(path)
  if (!response.ok) throw new Error(String(response.status))
  return response.json()
}
