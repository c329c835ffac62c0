/**
 * Returns 405 with `Allow` if a path exists but does not support the method; the router itself only knows
 * 404, which is what PROPFIND and other methods that no HTTP API uses get.
 */
import { Refused } from '../../domain/refusal.ts'
import type { Server } from '../fastify-server.ts'

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE'] as const

/** Records the routes as they are added; the returned function adds the missing methods at the end. */
export function registerMethodNotAllowed(app: Server): () => void {
  const known = new Map<string, Set<string>>()
  app.addHook('onRoute', (route) => {
    const seen = known.get(route.url) ?? new Set()
    for (const method of [route.method].flat()) seen.add(method)
    known.set(route.url, seen)
  })
  return () => {
    for (const [url, seen] of [...known]) {
      const allow = [...seen].sort().join(', ')
      app.route({
        method: methods.filter((method) => !seen.has(method)),
        url,
        config: { access: 'public' },
        schema: { hide: true } as object,
        handler: (_request, reply) => {
          reply.header('allow', allow)
          throw new Refused('_method_not_allowed', `Allowed: ${allow}.`)
        },
      })
    }
  }
}
