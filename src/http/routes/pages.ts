/**
 * The browser pages: console, till, the customer's wallet page, and that on which customers enroll. They are built in advance and only served
 * from here; everything they show comes from the API.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { parseId } from '../../domain/ids.ts'
import { Refused } from '../../domain/refusal.ts'
import type { Deps } from '../../operations/deps.ts'
import { findPage } from '../../operations/enrollment/open-page.ts'
import { noteOpened } from '../../operations/messages/order-messages.ts'
import { findUnsubscribe, unsubscribe } from '../../operations/messages/unsubscribe.ts'
import { timeIn } from '../../operations/organizations/time-of.ts'
import { openWalletPage } from '../../operations/wallet-page/open-wallet.ts'
import { tenantOf } from '../../store/tenant.ts'
import { sendContent } from '../assets/send-content.ts'
import { languageOf, unsubscribePage } from '../assets/unsubscribe-page.ts'
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
 * The service worker of the wallet page is served from `/w/`, since the scope of a worker is its folder. That of
 * the till is served from the root, since the till is at `/till` and not below it.
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
  '/till-offline.js': 'offline.js',
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
    const opened = await openWalletPage(deps, token)
    const isThere = opened !== undefined
    if (opened) await noteClick(deps, opened.organization.orgId, request.query as { m?: unknown })
    // The page is the same, and says in the reader's language that there is no card.
    reply.code(isThere ? 200 : 404).header('x-robots-tag', 'noindex')
    return sendWebFile(request, reply, 'wallet.html', revalidate)
  })
  app.get('/j/:name', { ...options, config: { access: 'public' } }, async (request, reply) => {
    const isThere = (await findPage(deps, (request.params as { name: string }).name)) !== undefined
    reply.code(isThere ? 200 : 404).header('x-robots-tag', 'noindex')
    return sendWebFile(request, reply, 'enroll.html', revalidate)
  })
  unsubscribeRoutes(app, deps)
  app.get('/assets/*', options, (request, reply) => {
    const { '*': name } = request.params as { '*': string }
    return sendWebFile(request, reply, `assets/${name}`, forever)
  })
  for (const [path, name] of Object.entries(otherFiles)) {
    app.get(path, options, (request, reply) => sendWebFile(request, reply, name, revalidate))
  }
}

/** A link in a message leads to a wallet page, and says in which. */
async function noteClick(deps: Deps, org: number, { m }: { m?: unknown }): Promise<void> {
  const message = typeof m === 'string' ? parseId('msg', `msg_${m}`) : undefined
  if (!message) return
  const tenant = tenantOf(deps.pool, org)
  await noteOpened(tenant, message, await timeIn(deps, tenant))
}

function unsubscribeRoutes(app: Server, deps: Deps): void {
  const send = async (request: FastifyRequest, reply: FastifyReply, isStopping: boolean) => {
    const key = deps.unsubscribeTokens.read((request.params as { token: string }).token)
    const organization = key && (await findUnsubscribe(deps, key))
    if (key && organization && isStopping) await unsubscribe(deps, key)
    const state = organization ? (isStopping ? 'done' : 'ask') : 'gone'
    const page = unsubscribePage(
      languageOf(request.headers['accept-language']),
      state,
      organization?.name ?? '',
    )
    return reply
      .code(organization ? 200 : 404)
      .header('content-security-policy', policy)
      .header('cache-control', 'no-store')
      .type('text/html; charset=utf-8')
      .send(page)
  }
  const config = { access: 'public', takesForm: true } as const
  app.get('/u/:token', { ...options, config }, (request, reply) => send(request, reply, false))
  app.post('/u/:token', { ...options, config }, (request, reply) => send(request, reply, true))
}

export function sendWebFile(request: FastifyRequest, reply: FastifyReply, name: string, cache: string) {
  const file = getWebFile(name)
  reply
    .header('content-security-policy', policy)
    .header('permissions-policy', 'camera=(self)')
    .header('cache-control', cache)
  return sendContent(request, reply, file)
}
