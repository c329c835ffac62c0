/**
 * The browser pages: console, till, and the customer's wallet page. They are built in advance and only served
 * from here; everything they show comes from the API.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Refused } from '../../domain/refusal.ts'
import { openWalletPage } from '../../operations/wallet-page/open-wallet.ts'
import { sendContent } from '../assets/send-content.ts'
import { getWebFile } from '../assets/web-files.ts'
import type { Server } from '../fastify-server.ts'
import type { ServerOptions } from '../server-options.ts'

/**
 * Scripts only from this site, none inline; the till's scanner is WebAssembly. A logo may come from another
 * site.
 */
const policy = [
  "default-src 'none'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob: https:",
  "connect-src 'self'",
  "manifest-src 'self'",
  "worker-src 'self'",
  "media-src 'self' blob:",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ')

// A file with a hash in its name never changes; for all others the browser checks for changes.
const forever = 'public, max-age=31536000, immutable'
const revalidate = 'no-cache'

/**
 * The service worker of the wallet page is served from `/w/`, since the scope of a worker is its folder.
 * Browsers request `/favicon.ico` on their own for a document that names no icon, such as an image or an API
 * response.
 */
const otherFiles = {
  '/icon.svg': 'icon.svg',
  '/favicon.ico': 'icon.svg',
  '/color-scheme.js': 'color-scheme.js',
  '/w/icon-192.png': 'icon-192.png',
  '/w/icon-512.png': 'icon-512.png',
  '/w/offline.js': 'offline.js',
}

const options = { config: { access: 'page' as const }, schema: { hide: true } as object }

export function pageRoutes(app: Server, { deps }: ServerOptions): void {
  app.get('/', options, (request, reply) => {
    if (!request.headers.accept?.includes('text/html')) throw new Refused('_not_found')
    return reply.redirect('/console')
  })
  for (const path of ['/console', '/console/', '/console/*']) {
    app.get(path, options, (request, reply) => sendWebFile(request, reply, 'console.html', revalidate))
  }
  app.get('/till', options, (request, reply) => sendWebFile(request, reply, 'till.html', revalidate))
  app.get('/w/:token', { ...options, config: { access: 'public' } }, async (request, reply) => {
    const { token } = request.params as { token: string }
    const isThere = (await openWalletPage(deps, token)) !== undefined
    // The page is the same, and says in the reader's language that there is no card.
    reply.code(isThere ? 200 : 404).header('x-robots-tag', 'noindex')
    return sendWebFile(request, reply, 'wallet.html', revalidate)
  })
  app.get('/assets/*', options, (request, reply) => {
    const { '*': name } = request.params as { '*': string }
    return sendWebFile(request, reply, `assets/${name}`, forever)
  })
  for (const [path, name] of Object.entries(otherFiles)) {
    app.get(path, options, (request, reply) => sendWebFile(request, reply, name, revalidate))
  }
}

export function sendWebFile(request: FastifyRequest, reply: FastifyReply, name: string, cache: string) {
  const file = getWebFile(name)
  reply
    .header('content-security-policy', policy)
    .header('permissions-policy', 'camera=(self)')
    .header('cache-control', cache)
  return sendContent(request, reply, file)
}
