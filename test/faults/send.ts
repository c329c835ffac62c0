import { Agent, request } from 'node:http'
import type { Answered, Operation } from './call-log.ts'

export interface Outgoing {
  readonly operation: Operation
  readonly route: string
  readonly path: string
  readonly body?: unknown
  readonly receipt?: string
  readonly key?: string
}

export type Answer = Omit<Answered, 'kind' | 'at' | 'call' | 'attempt'>

/** Longer than the service should ever need, so that an answer that comes late is seen to be late. */
const patienceMs = 45_000

/** Sends calls with a token that is fetched again when it has run out. Fails when no whole answer comes. */
export function createSender(of: { baseUrls: readonly string[]; apiKey: string; apiSecret: string }) {
  const agent = new Agent({ keepAlive: true, maxSockets: 256 })
  let token: string | undefined

  async function signIn(baseUrl: string): Promise<string> {
    const headers = { 'x-api-key': of.apiKey, 'x-api-secret': of.apiSecret }
    const issued = await exchange(baseUrl, 'POST', '/auth/token', headers)
    if (issued.status !== 201 && issued.status !== 200) throw new Error(`no token: ${issued.status}`)
    return JSON.parse(issued.text).accessToken
  }

  function exchange(
    baseUrl: string,
    method: string,
    path: string,
    headers: Record<string, string>,
    body?: string,
  ): Promise<{ status: number; headers: NodeJS.Dict<string | string[]>; text: string }> {
    return new Promise((resolve, reject) => {
      const call = request(baseUrl + path, { method, agent, headers }, (response) => {
        let text = ''
        response.setEncoding('utf8')
        response.on('data', (part) => {
          text += part
        })
        response.on('end', () => {
          clearTimeout(timer)
          resolve({ status: response.statusCode!, headers: response.headers, text })
        })
        response.on('error', reject)
        response.on('aborted', () => reject(new Error('the answer was cut off')))
      })
      const timer = setTimeout(() => call.destroy(new Error('no answer in time')), patienceMs)
      call.on('error', (error) => {
        clearTimeout(timer)
        reject(error)
      })
      call.end(body)
    })
  }

  return async (out: Outgoing, requestId: string, to: number): Promise<Answer> => {
    const baseUrl = of.baseUrls[to % of.baseUrls.length]!
    token ??= await signIn(baseUrl)
    const used = token
    const headers = {
      authorization: `Bearer ${used}`,
      'x-request-id': requestId,
      ...(out.body !== undefined && { 'content-type': 'application/json' }),
      ...(out.key !== undefined && { 'idempotency-key': out.key }),
    }
    const body = out.body === undefined ? undefined : JSON.stringify(out.body)
    const reply = await exchange(baseUrl, body === undefined ? 'GET' : 'POST', out.path, headers, body)
    if (reply.status === 401 && token === used) token = undefined
    return toAnswer(out.operation, reply)
  }
}

function toAnswer(
  operation: Operation,
  { status, headers, text }: { status: number; headers: NodeJS.Dict<string | string[]>; text: string },
): Answer {
  const body = JSON.parse(text)
  const common = {
    status,
    retryAfter: headers['retry-after'] as string | undefined,
    isReplay: headers['idempotent-replayed'] === 'true',
  }
  if (status >= 300) return { ...common, code: body.message }
  if (operation === 'register') return { ...common, id: body.id, customer: body.id, card: body.cards[0].id }
  return { ...common, id: body.id, actions: body.executedActions?.actions }
}
