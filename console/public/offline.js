// The service worker of the wallet page and of the till: without a response of the service it uses what was
// kept. The wallet page keeps the last state of its card. The till keeps its own files and nothing else, since
// what the API says is true for the moment only.
const isTill = self.location.pathname === '/till-offline.js'
const cacheName = isTill ? 'lw-till' : 'lw-wallet'
const patienceMs = 4000

self.addEventListener('install', () => self.skipWaiting())
self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()))

self.addEventListener('fetch', (event) => {
  const { request } = event
  const { origin, pathname } = new URL(request.url)
  if (request.method !== 'GET' || origin !== self.location.origin) return
  // A pass is of its moment, and making one may take longer than our patience. What only a code opens is not kept.
  if (/\/(?:pass\.pkpass|google-pass|link|profile)$/.test(pathname)) return
  if (pathname.startsWith('/assets/')) return event.respondWith(fromCacheFirst(request))
  if (!isTill || ['/till', '/icon.svg', '/color-scheme.js'].includes(pathname)) {
    event.respondWith(fromServiceFirst(request))
  }
})

/** Nothing depends on what is kept: without it, or without a storage that works, the service is asked. */
const findKept = async (request) => {
  try {
    return await (await caches.open(cacheName)).match(request)
  } catch {
    return undefined
  }
}

async function keep(request, response) {
  try {
    await (await caches.open(cacheName)).put(request, response.clone())
  } catch {
    // A browser without room for more shows what has come, if it has come completely.
    await response.clone().arrayBuffer()
  }
}

async function fromCacheFirst(request) {
  return (await findKept(request)) ?? fromServiceFirst(request)
}

async function fromServiceFirst(request) {
  const stop = new AbortController()
  request.signal?.addEventListener('abort', () => stop.abort())
  let isOver = false
  // Without a kept copy there is no limit: a slow response is better than none.
  const patience = setTimeout(async () => {
    if ((await findKept(request)) && !isOver) stop.abort()
  }, patienceMs)
  let giveUp
  try {
    const response = await fetch(request, { signal: stop.signal })
    // The page of the till is kept by itself, once all files of its version are.
    if (response.ok && !(isTill && request.mode === 'navigate')) await keep(request, response)
    // A proxy's error while the service is down does not count as a response.
    if (response.status < 500) return response
    giveUp = () => response
  } catch (error) {
    giveUp = () => Promise.reject(error)
  } finally {
    isOver = true
    clearTimeout(patience)
  }
  const kept = await findKept(request)
  if (!kept) return giveUp()
  // The header lets the page say that this is not current.
  const headers = new Headers(kept.headers)
  headers.set('x-kept', '1')
  return new Response(kept.body, { status: kept.status, headers })
}
