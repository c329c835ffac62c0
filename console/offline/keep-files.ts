/** Keeps the files of a page in a cache, from which its service worker (`public/offline.js`) responds. */
export interface KeptPage {
  readonly worker: string
  readonly scope: string
  /** The name that the worker uses, too. */
  readonly cache: string
}

const loaded = () =>
  performance
    .getEntriesByType('resource')
    .map(({ name }) => name)
    .filter((address) => address.startsWith(location.origin))

/** Named by the version that it belongs to. */
const isAsset = (address: string) => new URL(address, location.href).pathname.startsWith('/assets/')

export async function startWorker({ worker, scope }: KeptPage): Promise<boolean> {
  if (!('serviceWorker' in navigator)) return false
  await navigator.serviceWorker.register(worker, { scope })
  await navigator.serviceWorker.ready
  return true
}

/**
 * Files that were loaded before the worker started have not passed through it. Returns those it loaded, and rejects if
 * one that belongs to this version cannot be kept: without it, the page would not open.
 */
export async function keepFiles(
  { cache: name }: KeptPage,
  isWanted: (address: string) => boolean,
  more: readonly string[] = [],
): Promise<readonly string[]> {
  const ours = loaded().filter(isWanted)
  const cache = await caches.open(name)
  const wanted = [...new Set([...ours, ...more])]
  const keep = (address: string) => cache.add(address)
  await Promise.allSettled(wanted.filter((address) => !isAsset(address)).map(keep))
  await Promise.all(wanted.filter(isAsset).map(keep))
  return ours
}

/** The script of the page, whose name contains the version. */
const versionOf = (page: Document): string =>
  page.querySelector<HTMLScriptElement>('script[type=module][src]')?.src ?? ''

/**
 * Keeps the page itself, if it is still of the version whose files are kept. A newer one is left to the next
 * visit, which keeps its files as well.
 */
export async function keepPage({ cache: name }: KeptPage, page: string): Promise<boolean> {
  const cache = await caches.open(name)
  const candidate = `${page}?candidate`
  await cache.add(candidate)
  const response = (await cache.match(candidate))!
  await cache.delete(candidate)
  const isOurs = (await response.clone().text()).includes(new URL(versionOf(document)).pathname)
  if (isOurs) await cache.put(page, response)
  return isOurs
}

/**
 * Deletes the files of earlier versions. File names contain the version, so these are never requested again.
 */
export async function dropOlderVersions({ cache: name }: KeptPage, needed: readonly string[]): Promise<void> {
  const versionKey = `${name}-version`
  const version = versionOf(document)
  if (localStorage.getItem(versionKey) === version) return
  const cache = await caches.open(name)
  for (const { url } of await cache.keys()) {
    if (isAsset(url) && !needed.includes(url)) await cache.delete(url)
  }
  localStorage.setItem(versionKey, version)
}
