/**
 * Returns 405 with `Allow` if a path exists but does not support the method; the router itself only knows
 * 404, which is what PROPFIND and other methods that no HTTP API uses get.
 *
 * The paths are compared when the router has found nothing: a route for every missing method took more than half of
 * the time in which the application is built.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Refused } from '../../domain/refusal.ts'
import type { Server } from '../fastify-server.ts'

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE'] as const

/** Methods by the pattern of a path, such as `/v1/customers/:id`. */
type Known = Map<string, Set<string>>

export interface MethodNotAllowed {
  /** Adds the routes without which another one would answer; to be called when all routes are there. */
  finish(): void
  /** Refuses a request that no route answers. */
  refuse(request: FastifyRequest, reply: FastifyReply): never
}

/** Records the routes as they are added. */
export function createMethodNotAllowed(app: Server, maxParamLength: number): MethodNotAllowed {
  const known: Known = new Map()
  let patterns: { readonly matches: RegExp; readonly url: string }[] | undefined
  app.addHook('onRoute', (route) => {
    const seen = known.get(route.url) ?? new Set()
    for (const method of [route.method].flat()) seen.add(method)
    known.set(route.url, seen)
  })
  return {
    finish() {
      for (const [url, missing] of listHidden(known, maxParamLength)) {
        const allow = allowOf(known.get(url)!)
        app.route({
          method: missing,
          url,
          config: { access: 'public' },
          schema: { hide: true } as object,
          handler: (_request, reply) => refuseMethod(reply, allow),
        })
        for (const method of missing) known.get(url)!.delete(method)
      }
    },
    refuse(request, reply) {
      patterns ??= [...known.keys()]
        .sort(bySpecificity)
        .map((url) => ({ matches: matcherOf(url, maxParamLength), url }))
      const path = pathOf(request)
      const found = methods.some((method) => method === request.method)
        ? patterns.find(({ matches }) => matches.test(path))
        : undefined
      if (!found) throw new Refused('_not_found')
      return refuseMethod(reply, allowOf(known.get(found.url)!))
    },
  }
}

const allowOf = (seen: ReadonlySet<string>) => [...seen].sort().join(', ')

function refuseMethod(reply: FastifyReply, allow: string): never {
  reply.header('allow', allow)
  throw new Refused('_method_not_allowed', `Allowed: ${allow}.`)
}

/**
 * Methods that a path does not have and that a less specific pattern has: `PATCH /v1/customers/find` would be about a
 * customer whose ID is `find`.
 */
function listHidden(known: Known, maxParamLength: number): [string, string[]][] {
  const others = [...known].map(([url, seen]) => ({ url, seen, matches: matcherOf(url, maxParamLength) }))
  return [...known].flatMap(([url, seen]): [string, string[]][] => {
    const covering = others.filter((other) => other.url !== url && other.matches.test(url))
    const missing = methods.filter(
      (method) => !seen.has(method) && covering.some((other) => other.seen.has(method)),
    )
    return missing.length > 0 ? [[url, missing]] : []
  })
}

function matcherOf(url: string, maxParamLength: number): RegExp {
  const pattern = url
    .replaceAll(/[.+?^${}()|[\]\\]/g, '\\$&')
    .replaceAll(/:\w+/g, `[^/]{1,${maxParamLength}}`)
    .replaceAll('*', '.*')
  return new RegExp(`^${pattern}$`, 's')
}

/** As the router prefers them: what is fixed before what is a parameter, and anything at all last. */
function bySpecificity(a: string, b: string): number {
  const [left, right] = [rankOf(a), rankOf(b)]
  return left < right ? -1 : left > right ? 1 : 0
}

const rankOf = (url: string) =>
  url
    .split('/')
    .map((part) => (part.includes('*') ? 2 : part.includes(':') ? 1 : 0))
    .join('')

/** The path as the router compares it: without the query, and decoded. */
function pathOf({ url }: FastifyRequest): string {
  const path = url.split('?', 1)[0]!
  try {
    return decodeURI(path)
  } catch {
    return path
  }
}
