/** Answers 405 with `Allow` where a path exists but not with this method; the router itself only knows 404. */
import type { FastifyReply } from 'fastify'
import { Refused } from '../domain/refusal.ts'
import type { Server } from './server.ts'

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE'] as const

/** Watches the routes being added; the returned function adds the missing methods once all are there. */
export function answerOtherMethods(app: Server): () => void {
  const known = new Map<string, Set<string>>()
  app.addHook('onRoute', (route) => {
    const seen = known.get(route.url) ?? new Set()
    for (const method of [route.method].flat()) seen.add(method)
    known.set(route.url, seen)
  })
  return () => {
    const paths = [...known].map(([url, seen]) => ({ url, seen, allow: [...seen].sort().join(', ') }))
    for (const { url, seen, allow } of paths) {
      app.route({
        method: methods.filter((method) => !seen.has(method)),
        url,
        config: { access: 'public' },
        schema: { hide: true } as object,
        handler: (_request, reply) => {
          throw notAllowed(reply, allow)
        },
      })
    }
    answerRareMethods(app, paths)
  }
}

/**
 * PROPFIND and two dozen others that Node can read. Routes for all of them cost three megabytes, so here the path
 * is looked up only when the router found nothing.
 */
function answerRareMethods(app: Server, paths: readonly { url: string; allow: string }[]): void {
  const patterns = paths
    .toSorted((a, b) => a.url.split(':').length - b.url.split(':').length)
    .map(({ url, allow }) => ({ allow, pattern: toPattern(url) }))
  app.addHook('onRequest', (request, reply, done) => {
    if (!request.is404) return done()
    const path = request.url.split('?', 1)[0]!
    const found = patterns.find(({ pattern }) => pattern.test(path))
    done(found && !methods.some((one) => one === request.method) ? notAllowed(reply, found.allow) : undefined)
  })
}

function toPattern(url: string): RegExp {
  return new RegExp(`^${url.replaceAll('.', '\\.').replaceAll('*', '.*').replaceAll(/:\w+/g, '[^/]+')}$`)
}

function notAllowed(reply: FastifyReply, allow: string): Refused {
  reply.header('allow', allow)
  return new Refused('_method_not_allowed', `Allowed: ${allow}.`)
}
