/** The API's own description: the OpenAPI document, and a page to read it. */
import type { FastifyRequest } from 'fastify'
import type { OpenApiDocument } from '../reference/document.ts'
import { referenceScript } from '../reference/script.ts'
import { referenceStyle } from '../reference/style.ts'
import { addressMark, renderReferencePage } from '../reference-page.ts'
import type { Server } from '../server.ts'

/** Nothing comes from elsewhere and nothing is sent anywhere; the page has no inline style or script. */
const policy = [
  "default-src 'none'",
  "style-src 'self'",
  "script-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

export function referenceRoutes(app: Server): void {
  let texts: { document: string; page: string } | undefined
  function written() {
    if (texts) return texts
    const document = app.swagger()
    texts = {
      document: JSON.stringify(document),
      page: renderReferencePage(document as unknown as OpenApiDocument),
    }
    return texts
  }
  // Written once, when the service starts to listen: it takes a tenth of a second in which no call is answered.
  app.addHook('onListen', async () => {
    written()
  })

  interface Text {
    readonly type: string
    readonly read: (request: FastifyRequest) => string
    /** Kept by the reader for that long; not at all unless told. */
    readonly cache?: string
  }

  function serveText(url: string, { type, read, cache }: Text): void {
    app.get(
      url,
      { config: { access: 'public' }, schema: { hide: true } as object },
      async (request, reply) => {
        if (cache) reply.header('cache-control', cache)
        reply
          .header('content-type', `${type}; charset=utf-8`)
          .header('content-security-policy', policy)
          .serializer((text: unknown) => String(text))
        return reply.send(read(request))
      },
    )
  }

  serveText('/openapi.json', { type: 'application/json', read: () => written().document })
  serveText('/docs', {
    type: 'text/html',
    read: (request) => written().page.replaceAll(addressMark, addressOf(request)),
    // The page names the address it was asked at, which is nobody else's business: not for shared caches.
    cache: `private, ${anHour}`,
  })
  serveText('/docs/reference.css', { type: 'text/css', read: () => referenceStyle, cache: anHour })
  serveText('/docs/reference.js', { type: 'text/javascript', read: () => referenceScript, cache: anHour })
}

const anHour = 'max-age=3600'

/** Where the reader reached us, so that the examples work as pasted. A host that is none is not repeated. */
function addressOf({ protocol, host }: FastifyRequest): string {
  return /^[\w.-]+(?::\d+)?$|^\[[\da-fA-F:.]+\](?::\d+)?$/.test(host)
    ? `${protocol}://${host}`
    : 'http://127.0.0.1:8080'
}
