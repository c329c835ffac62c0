// The service worker of the wallet page: asks the service first, and without a response uses the last one.
const cacheName = 'lw-wallet'
const patienceMs = 4000

self.addEventListener('install', () => self.skipWaiting())
self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()))

self.addEventListener('fetch', (event) => {
  const { request } = event
  const url = new URL(request.url)
  if (request.method !== 'GET' || url.origin !== self.location.origin) return
  event.respondWith(url.pathname.startsWith('/assets/') ? fromCacheFirst(request) : fromServiceFirst(request))
})

async function fromCacheFirst(request) {
  return (await caches.match(request)) ?? fromServiceFirst(request)
}

async function fromServiceFirst(request) {
  let giveUp
  try {
    const response = await fetch(request, { signal: AbortSignal.timeout(patienceMs) })
    if (response.ok) {
      const cache = await caches.open(cacheName)
      await cache.put(request, response.clone())
    }
    // A proxy's error while the service is down does not count as a response.
    if (response.status < 500) return response
    giveUp = () => response
  } catch (error) {
    giveUp = () => Promise.reject(error)
  }
  const kept = await caches.match(request)
  if (!kept) return giveUp()
  // The header lets the page say that this is not current.
  const headers = new Headers(kept.headers)
  headers.set('x-kept', '1')
  return new Response(kept.body, { status: kept.status, headers })
}
