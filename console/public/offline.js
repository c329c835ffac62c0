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

const findKept = async (request) => (await caches.open(cacheName)).match(request)

const keep = async (request, response) => (await caches.open(cacheName)).put(request, response)

async function fromCacheFirst(request) {
  return (await findKept(request)) ?? fromServiceFirst(request)
}

async function fromServiceFirst(request) {
  const kept = await findKept(request)
  const stop = new AbortController()
  // Where nothing is kept, a slow connection is all there is, and gets the time that it would have without a worker.
  const patience = kept && setTimeout(() => stop.abort(), patienceMs)
  try {
    const response = await fetch(request, { signal: stop.signal })
    // The page of the till is kept by itself, once all files of its version are.
    if (response.ok && !(isTill && request.mode === 'navigate')) {
      await keep(request, response.clone()).catch((error) => {
        // A phone without room for more still shows what has come.
        if (error.name !== 'QuotaExceededError') throw error
      })
    }
    // A proxy's error while the service is down does not count as a response.
    if (response.status < 500 || !kept) return response
  } catch (error) {
    if (!kept) throw error
  } finally {
    clearTimeout(patience)
  }
  // The header lets the page say that this is not current.
  const headers = new Headers(kept.headers)
  headers.set('x-kept', '1')
  return new Response(kept.body, { status: kept.status, headers })
}
