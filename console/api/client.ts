/**
 * The only way to reach the service: a client typed by the OpenAPI document, which sends the browser's
 * session cookie. It also keeps the last requests, so that a page can show them to developers.
 */
import createClient from 'openapi-fetch'
import { calls } from './calls.ts'
import type { components, paths } from './schema.d.ts'

export type Schemas = components['schemas']

/** A refusal in the service's own words, or a network failure (status 0). */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly status: number
  readonly code: string
  /** Codes of everything that is wrong, if the service says more than one thing. */
  readonly problems: readonly string[]

  constructor(status: number, code: string, message: string, problems: readonly string[] = []) {
    super(message)
    this.status = status
    this.code = code
    this.problems = problems
  }
}

/** Whether no usable response arrived, so that the request may or may not have been carried out. */
export const isUnanswered = (error: unknown): boolean =>
  error instanceof ApiError && (error.status === 0 || error.status >= 500)

export const api = createClient<paths>({ baseUrl: '', credentials: 'same-origin', fetch: calls.fetch })

const signedInKey = 'lw-signed-in'

/**
 * Whether someone has signed in with this browser and has not signed out. Scripts cannot read the cookie
 * itself, and asking the service on every first visit would log an error in the browser's console.
 */
export const mayBeSignedIn = (): boolean => localStorage.getItem(signedInKey) !== null

api.use({
  onResponse({ request: { method, url }, response: { ok, status } }) {
    const { pathname } = new URL(url)
    const isEntry = method === 'POST' && ['/auth/session', '/auth/invitation'].includes(pathname)
    if (isEntry && ok) localStorage.setItem(signedInKey, '1')
    // A wrong password also gets a 401, but does not end the session.
    const asksForPassword = isEntry || pathname === '/auth/password'
    const isExit = method === 'DELETE' && pathname.startsWith('/auth/session')
    if ((isExit && ok) || (!asksForPassword && status === 401)) localStorage.removeItem(signedInKey)
  },
})

interface Answer<T> {
  data?: T
  error?: unknown
  response: Response
}

/** Body of the response; throws an error with the service's message: `await dataOf(api.GET(…))`. */
export async function dataOf<T>(call: Promise<Answer<T>>): Promise<T> {
  let answer: Answer<T>
  try {
    answer = await call
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error
    throw new ApiError(0, '_unreachable', "Can't reach the service. Check your connection and try again.")
  }
  const { data, error, response } = answer
  if (response.ok) return data as T
  const body = (error ?? {}) as { message?: string; description?: string; problems?: string[] }
  throw new ApiError(
    response.status,
    body.message ?? `http_${response.status}`,
    body.description ?? `The service responded with status ${response.status}. Try again in a moment.`,
    body.problems,
  )
}
