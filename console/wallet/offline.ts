/**
 * Makes the last state of a card readable without a network: the page and all its resources are put into a
 * cache, and a service worker (`public/offline.js`) responds from it when the service cannot.
 */
const cacheName = 'lw-wallet'

export const cardAddress = location.pathname.replace(/\/+$/, '')

let isKeeping = false

const codes = ['/code128.svg', '/qr.svg']

/**
 * Runs once per visit; later requests go through the worker, which caches them. A blocked card has no codes,
 * and those of earlier visits are deleted.
 */
export async function keepForOffline({ hasCode }: { hasCode: boolean }): Promise<void> {
  if (!hasCode && 'caches' in window) await forget(codes.map((code) => cardAddress + code))
  if (isKeeping || !('serviceWorker' in navigator)) return
  isKeeping = true
  await navigator.serviceWorker.register('/w/offline.js', { scope: '/w/' })
  await navigator.serviceWorker.ready
  // Resources that were loaded before the worker started have not passed through it.
  const loaded = performance.getEntriesByType('resource').map(({ name }) => name)
  const ours = loaded.filter((address) => address.startsWith(location.origin))
  const parts = ['', '/card', ...(hasCode ? codes : []), '/manifest.webmanifest'].map(
    (part) => cardAddress + part,
  )
  const cache = await caches.open(cacheName)
  await Promise.allSettled([...new Set([...ours, ...parts])].map((address) => cache.add(address)))
  await dropOlderVersions(cache, ours)
}

const versionKey = 'lw-wallet-version'

/**
 * Deletes the files of earlier versions. File names contain the version, so these are never requested again.
 */
async function dropOlderVersions(cache: Cache, loaded: readonly string[]): Promise<void> {
  const version = document.querySelector<HTMLScriptElement>('script[type=module][src]')?.src ?? ''
  if (localStorage.getItem(versionKey) === version) return
  for (const { url } of await cache.keys()) {
    if (new URL(url).pathname.startsWith('/assets/') && !loaded.includes(url)) await cache.delete(url)
  }
  localStorage.setItem(versionKey, version)
}

/** Removes everything stored about a card whose link was revoked. */
export async function forgetCard(): Promise<void> {
  if (!('caches' in window)) return
  await forget([cardAddress])
}

async function forget(prefixes: readonly string[]): Promise<void> {
  const cache = await caches.open(cacheName)
  for (const request of await cache.keys()) {
    const { pathname } = new URL(request.url)
    if (prefixes.some((prefix) => pathname.startsWith(prefix))) await cache.delete(request)
  }
}
