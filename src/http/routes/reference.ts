/** The API's own description: the OpenAPI document, and a page to read it. */
import type { OpenApiDocument } from '../reference/document.ts'
import { referenceScript } from '../reference/script.ts'
import { referenceStyle } from '../reference/style.ts'
import { renderReferencePage } from '../reference-page.ts'
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

  function serveText(url: string, type: string, read: () => string): void {
    app.get(
      url,
      { config: { access: 'public' }, schema: { hide: true } as object },
      async (_request, reply) => {
        reply
          .header('content-type', `${type}; charset=utf-8`)
          .header('content-security-policy', policy)
          .header('x-content-type-options', 'nosniff')
          .header('referrer-policy', 'no-referrer')
          .serializer((text: unknown) => String(text))
        return reply.send(read())
      },
    )
  }

  serveText('/openapi.json', 'application/json', () => written().document)
  serveText('/docs', 'text/html', () => written().page)
  serveText('/docs/reference.css', 'text/css', () => referenceStyle)
  serveText('/docs/reference.js', 'text/javascript', () => referenceScript)
}
