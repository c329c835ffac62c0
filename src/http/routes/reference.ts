/** The API description: the OpenAPI document and the reference page. */
import type { FastifyRequest } from 'fastify'
import { type Content, compress, contentOf, sendContent } from '../assets/send-content.ts'
import { getWebFile } from '../assets/web-files.ts'
import type { Server } from '../fastify-server.ts'
import { docGroups } from '../openapi/reference/doc-pages.ts'
import { addressMark } from '../openapi/reference/pasting.ts'
import { renderReferencePage } from '../openapi/reference-page.ts'
import type { ServerOptions } from '../server-options.ts'

/** The page loads nothing from other sites and sends nothing anywhere; it has no inline style or script. */
const policy = [
  "default-src 'none'",
  "style-src 'self'",
  "script-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** More than one service has: by name and by IP address, from inside and outside the network. */
const maxAddresses = 8

const soonMs = 1_000

export function referenceRoutes(app: Server, { deps }: ServerOptions): void {
  let page: string | undefined
  function write(): string {
    // The generated file: to describe the routes again would add half a second to every start.
    page ??= renderReferencePage(JSON.parse(getWebFile('openapi.json').plain.toString()))
    return page
  }
  // Rendering blocks the event loop for a tenth of a second: better right after the start than later.
  app.addHook('onListen', async () => {
    setTimeout(() => {
      try {
        write()
      } catch (error) {
        // The service works without its reference page.
        app.log.error(error, 'cannot read openapi.json')
      }
    }, soonMs).unref()
  })

  const pages = new Map<string, Content>()
  function pageAt(address: string): Content {
    const known = pages.get(address)
    if (known) return known
    const page = textOf('text/html', write().replaceAll(addressMark, address))
    // The address comes from the Host header, so a client can make up many. Beyond the limit the page is sent
    // uncompressed, which costs neither the time to compress it nor the memory to keep it.
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

  serve('/openapi.json', 'no-cache', () => getWebFile('openapi.json'))
  serve('/docs/postman.json', anHour, () => getWebFile('docs/postman.json'))
  serve('/llms.txt', anHour, () => getWebFile('llms.txt'))
  // The page contains the address it was requested at, so it must not be stored in shared caches.
  serve('/docs', `private, ${anHour}`, (request) => pageAt(addressOf(request)))
  for (const { path } of docGroups.flatMap((group) => group.pages))
    serve(`/docs/${path}`, anHour, () => compressedPage(`docs/${path}.html`))
  // What people type or shorten by hand.
  for (const url of ['/docs/', '/docs/guides', '/docs/guides/'])
    app.get(
      url,
      { config: { access: 'public' }, schema: { hide: true } as object },
      async (_request, reply) => reply.redirect('/docs', 308),
    )
  for (const file of ['reference.css', 'guide.css', 'reference.js', 'search.js', 'search-index.js'])
    serve(`/docs/${file}`, anHour, () => getWebFile(file))
}

const compressedPages = new Map<string, Content>()

/** The guides are compressed when they are first requested: that takes milliseconds, and saves two files for each. */
function compressedPage(name: string): Content {
  const page = compressedPages.get(name) ?? compress(getWebFile(name))
  compressedPages.set(name, page)
  return page
}

const anHour = 'max-age=3600'

const textOf = (type: string, text: string) => contentOf(`${type}; charset=utf-8`, Buffer.from(text))

/** The address the reader used, so that the examples work as pasted. An invalid host is not echoed. */
function addressOf({ protocol, host }: FastifyRequest): string {
  return /^[\w.-]+(?::\d+)?$|^\[[\da-fA-F:.]+\](?::\d+)?$/.test(host)
    ? `${protocol}://${host}`
    : 'http://127.0.0.1:8080'
}
