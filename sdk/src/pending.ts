/** Writes that were sent and whose outcome is not known, with everything that is needed to send them again. */
import type { OperationName } from './operations.ts'

export interface PendingWrite {
  /** The idempotency key. */
  readonly id: string
  readonly operation: OperationName
  readonly path: string
  readonly body: unknown
  /** When it was first sent, as ISO 8601. */
  readonly at: string
}

/** Where they are kept. To survive a crash of the till, give one that writes to a disk or a database. */
export interface PendingStore {
  set(write: PendingWrite): void | Promise<void>
  delete(id: string): void | Promise<void>
  list(): readonly PendingWrite[] | Promise<readonly PendingWrite[]>
}

export function inMemory(): PendingStore {
  const writes = new Map<string, PendingWrite>()
  return {
    set: (write) => void writes.set(write.id, write),
    delete: (id) => void writes.delete(id),
    list: () => [...writes.values()],
  }
}

interface TextStorage {
  readonly length: number
  key(index: number): string | null
  getItem(name: string): string | null
  setItem(name: string, text: string): void
  removeItem(name: string): void
}

/** In a browser's `localStorage`, or anything like it. */
export function inStorage(storage: TextStorage, prefix = 'loyalty-wallet:'): PendingStore {
  return {
    set: (write) => storage.setItem(prefix + write.id, JSON.stringify(write)),
    delete: (id) => storage.removeItem(prefix + id),
    list() {
      const names = Array.from({ length: storage.length }, (_, i) => storage.key(i))
      return names
        .filter((name) => name?.startsWith(prefix))
        .map((name) => JSON.parse(storage.getItem(name as string) as string) as PendingWrite)
        .sort((a, b) => (a.at < b.at ? -1 : 1))
    },
  }
}
