/**
 * The pages in the browser: console, till, and the customer's wallet page. They are built beforehand and only
 * sent from here; everything they show they ask the API for.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Refused } from '../../domain/refusal.ts'
import { openWalletPage } from '../../operations/wallet-page/open-wallet.ts'
import { sendContent } from '../assets/send-content.ts'
import { getWebFile } from '../assets/web-files.ts'
import type { Server } from '../fastify-server.ts'
import type { ServerOptions } from '../server-options.ts'

/** Scripts only from here and none inline; the scanner of the till is WebAssembly. A logo may come from elsewhere. */
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

// What has a hash in its name never changes; of everything else the browser asks whether it has.
const forEver = 'public, max-age=31536000, immutable'
const asking = 'no-cache'

/**
 * The worker of the wallet page lies where it works: its reach is the folder it comes from. A browser asks for
 * `/favicon.ico` by itself wherever a document names no icon, such as a picture or a reply of the API.
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
    app.get(path, options, (request, reply) => sendWebFile(request, reply, 'console.html', asking))
  }
  app.get('/till', options, (request, reply) => sendWebFile(request, reply, 'till.html', asking))
  app.get('/w/:token', { ...options, config: { access: 'public' } }, async (request, reply) => {
    const { token } = request.params as { token: string }
    const isThere = (await openWalletPage(deps, token)) !== undefined
    // The page is the same, and says in the reader's language that there is no card.
    reply.code(isThere ? 200 : 404).header('x-robots-tag', 'noindex')
    return sendWebFile(request, reply, 'wallet.html', asking)
  })
  app.get('/assets/*', options, (request, reply) => {
    const { '*': name } = request.params as { '*': string }
    return sendWebFile(request, reply, `assets/${name}`, forEver)
  })
  for (const [path, name] of Object.entries(otherFiles)) {
    app.get(path, options, (request, reply) => sendWebFile(request, reply, name, asking))
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
