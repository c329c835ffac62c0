/** The API's own description: the OpenAPI document, and a page to read it. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FastifyRequest } from 'fastify'
import { packageRoot } from '../../package-root.ts'
import { type Content, compress, contentOf, sendContent } from '../assets/send-content.ts'
import { getWebFile } from '../assets/web-files.ts'
import type { Server } from '../fastify-server.ts'
import type { OpenApiDocument } from '../openapi/reference/document.ts'
import { addressMark, renderReferencePage } from '../openapi/reference-page.ts'
import type { ServerOptions } from '../server-options.ts'

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

/** One service has fewer: by name and by number, from inside and from outside. */
const maxAddresses = 8

const soonMs = 1_000

export function referenceRoutes(app: Server, { deps }: ServerOptions): void {
  let written: { document: Content; page: string } | undefined
  function write() {
    if (written) return written
    // As it was generated from the routes: to describe them anew would take half a second of every start.
    const document: OpenApiDocument = JSON.parse(readFileSync(join(packageRoot, 'openapi.json'), 'utf8'))
    written = {
      document: compress(textOf('application/json', JSON.stringify(document))),
      page: renderReferencePage(document),
    }
    return written
  }
  // It takes a tenth of a second in which no call is answered: soon after the start rather than some time later.
  app.addHook('onListen', async () => {
    setTimeout(() => {
      try {
        write()
      } catch (error) {
        // Without its description the service serves all the same.
        app.log.error(error, 'openapi.json cannot be read')
      }
    }, soonMs).unref()
  })

  const pages = new Map<string, Content>()
  function pageAt(address: string): Content {
    const known = pages.get(address)
    if (known) return known
    const page = textOf('text/html', write().page.replaceAll(addressMark, address))
    // The address is what the reader claims. Who makes up many of them gets the page as it is, and costs neither
    // the work of compressing it each time nor the memory to keep it.
    if (pages.size >= maxAddresses && address !== deps.publicUrl()) return page
    const compressed = compress(page)
    pages.set(address, compressed)
    return compressed
  }

  function serve(url: string, cache: string, find: (request: FastifyRequest) => Content): void {
    app.get(
      url,
      { config: { access: 'public' }, schema: { hide: true } as object },
      async (request, reply) => {
        reply.header('cache-control', cache).header('content-security-policy', policy)
        return sendContent(request, reply, find(request))
      },
    )
  }

  serve('/openapi.json', 'no-cache', () => write().document)
  // The page names the address it was asked at, which is nobody else's business: not for shared caches.
  serve('/docs', `private, ${anHour}`, (request) => pageAt(addressOf(request)))
  serve('/docs/reference.css', anHour, () => getWebFile('reference.css'))
  serve('/docs/reference.js', anHour, () => getWebFile('reference.js'))
}

const anHour = 'max-age=3600'

const textOf = (type: string, text: string) => contentOf(`${type}; charset=utf-8`, Buffer.from(text))

/** Where the reader reached us, so that the examples work as pasted. A host that is none is not repeated. */
function addressOf({ protocol, host }: FastifyRequest): string {
  return /^[\w.-]+(?::\d+)?$|^\[[\da-fA-F:.]+\](?::\d+)?$/.test(host)
    ? `${protocol}://${host}`
    : 'http://127.0.0.1:8080'
}
