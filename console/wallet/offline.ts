/**
 * Makes the last state of a card readable without a network: the page and all its resources are put into a
 * cache, and a service worker responds from it when the service cannot.
 */
import { dropOlderVersions, keepFiles, startWorker } from '../offline/keep-files.ts'

const kept = { worker: '/w/offline.js', scope: '/w/', cache: 'lw-wallet' }

export const cardAddress = location.pathname.replace(/\/+$/, '')

let isKeeping = false

const codes = ['/code128.svg', '/qr.svg']

/**
 * Runs once per visit; later requests go through the worker, which caches them. A blocked card has no codes,
 * and those of earlier visits are deleted.
 */
export async function keepForOffline({ hasCode }: { hasCode: boolean }): Promise<void> {
  if (!hasCode && 'caches' in window) await forget(codes.map((code) => cardAddress + code))
  if (isKeeping) return
  isKeeping = true
  if (!(await startWorker(kept))) return
  const parts = ['', '/card', ...(hasCode ? codes : []), '/manifest.webmanifest'].map(
    (part) => cardAddress + part,
  )
  await dropOlderVersions(kept, await keepFiles(kept, () => true, parts))
}

/** Removes everything stored about a card whose link was revoked. */
export async function forgetCard(): Promise<void> {
  if (!('caches' in window)) return
  await forget([cardAddress])
}

async function forget(prefixes: readonly string[]): Promise<void> {
  const cache = await caches.open(kept.cache)
  for (const request of await cache.keys()) {
    const { pathname } = new URL(request.url)
    if (prefixes.some((prefix) => pathname.startsWith(prefix))) await cache.delete(request)
  }
}
