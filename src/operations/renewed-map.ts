/**
 * A Map whose keys come and go all the time, such as the customers who have a basket under way.
 *
 * V8 replaces the table of a Map or Set when it is full, with the deleted entries counted, and the old table refers to
 * the new one. Once a table is in the old generation, all that follow it are kept until the next full collection, with
 * everything that they held: a Set of the requests under way kept every request. The table of a new Map has no such
 * predecessor, so the entries move to a new one after 64 more deletions than there are entries.
 */
export class RenewedMap<K, V> {
  #map = new Map<K, V>()
  #deleted = 0

  get size(): number {
    return this.#map.size
  }

  get(key: K): V | undefined {
    return this.#map.get(key)
  }

  has(key: K): boolean {
    return this.#map.has(key)
  }

  set(key: K, value: V): void {
    this.#map.set(key, value)
  }

  delete(key: K): void {
    if (!this.#map.delete(key) || ++this.#deleted < fewest + this.#map.size) return
    this.#map = new Map(this.#map)
    this.#deleted = 0
  }

  values(): Iterable<V> {
    return this.#map.values()
  }

  [Symbol.iterator](): Iterator<[K, V]> {
    return this.#map[Symbol.iterator]()
  }
}

const fewest = 64
