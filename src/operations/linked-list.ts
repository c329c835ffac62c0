/**
 * A list from which entries are removed anywhere, in constant time. Not a Set, for the reason that `renewed-map.ts`
 * gives, and nothing that was removed refers to what came after it.
 */
export interface ListEntry<T> {
  readonly value: T
}

interface Node<T> extends ListEntry<T> {
  before: Node<T> | undefined
  after: Node<T> | undefined
  isListed: boolean
}

export class LinkedList<T> implements Iterable<T> {
  #first: Node<T> | undefined = undefined
  #last: Node<T> | undefined = undefined
  #size = 0

  get size(): number {
    return this.#size
  }

  get first(): T | undefined {
    return this.#first?.value
  }

  /** Adds it at the end. */
  add(value: T): ListEntry<T> {
    const node: Node<T> = { value, before: this.#last, after: undefined, isListed: true }
    if (this.#last) this.#last.after = node
    else this.#first = node
    this.#last = node
    this.#size++
    return node
  }

  /** Does nothing if the entry has been removed before. */
  remove(entry: ListEntry<T>): void {
    const node = entry as Node<T>
    if (!node.isListed) return
    const { before, after } = node
    if (before) before.after = after
    else this.#first = after
    if (after) after.before = before
    else this.#last = before
    node.before = undefined
    node.after = undefined
    node.isListed = false
    this.#size--
  }

  takeFirst(): T | undefined {
    const first = this.#first
    if (first) this.remove(first)
    return first?.value
  }

  /** In the order of addition. The current entry may be removed meanwhile. */
  *[Symbol.iterator](): Iterator<T> {
    let node = this.#first
    while (node) {
      const { after } = node
      yield node.value
      node = after
    }
  }
}
