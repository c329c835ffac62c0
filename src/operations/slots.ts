/**
 * How many groups of baskets, or batches of lookups, run at the same time: as many as keep the database busy.
 * What waits meanwhile is written or read in larger groups, which cost less. With 8 organizations that all have
 * something waiting, four groups at a time write more baskets a second than eight do, also if the database is
 * 3 ms away.
 *
 * In a long line of organizations that have little to do each, waiting would make groups later and not larger. On
 * one server several of them therefore share a slot, and with it their messages to the database
 * (`src/database/shared-messages.ts`), so that about half of the line runs; on a cluster, where they are on several
 * nodes, there are more slots.
 */
import { LinkedList, type ListEntry } from './linked-list.ts'

export interface SlotOptions<Work> {
  /** The number of slots with any number of organizations. */
  readonly max: number
  /** Several organizations may share a slot. */
  readonly isShared: boolean
  /** With this much in a slot, more would not make its messages cheaper for each piece of it. */
  readonly enough: number
  /** How many organizations have something running or waiting. */
  inLine(): number
  /** Takes what the organization whose turn it is has waiting; undefined if nothing can start now. */
  take(): Work | undefined
  sizeOf(work: Work): number
  /** Must not reject. It may call `leave` when it goes on without the connections of its slot. */
  run(work: Work, leave: () => void): Promise<void>
  onEnd?(): void
}

const fewestSlots = 4
const organizationsPerSlot = 3
const mostTogether = 16

/** One that takes longer is waiting, most likely for a lock, and must not keep others from running. */
const slowMs = 250

interface Slot<Work> {
  /** When it started. */
  readonly at: number
  readonly works: Set<Work>
}

/** Returns a function that starts what can start now: to be called when something has arrived. */
export function createSlots<Work>(options: SlotOptions<Work>): () => void {
  const { max, isShared, enough, inLine, take, sizeOf, run, onEnd } = options
  const slots = new LinkedList<Slot<Work>>()
  let isWaiting = false
  // What ends together, as those do that have shared a message, makes room for as much at once.
  const startSoon = atEndOfTurn(start)

  function start(): void {
    while (isFree()) {
      const works = takeTogether()
      if (works.length === 0) return
      const slot = slots.add({ at: performance.now(), works: new Set(works) })
      for (const work of works) {
        const leaveSlot = () => leave(slot, work)
        // Also if it has left before: of its organization, something more may run now.
        void run(work, leaveSlot).then(leaveSlot).then(onEnd)
      }
    }
  }

  function leave(slot: ListEntry<Slot<Work>>, work: Work): void {
    slot.value.works.delete(work)
    if (slot.value.works.size === 0) slots.remove(slot)
    startSoon()
  }

  function isFree(): boolean {
    if (slots.size >= max) return false
    const busy = [...slots].filter(({ at }) => at > performance.now() - slowMs)
    const most = isShared ? fewestSlots : Math.max(fewestSlots, inLine() / organizationsPerSlot)
    if (busy.length < most) return true
    startWhenSlow(busy[0]!.at)
    return false
  }

  function startWhenSlow(earliest: number): void {
    if (isWaiting) return
    isWaiting = true
    const later = () => {
      isWaiting = false
      start()
    }
    setTimeout(later, earliest + slowMs - performance.now() + 1).unref()
  }

  function takeTogether(): Work[] {
    const most = isShared ? Math.min(mostTogether, Math.ceil(inLine() / (2 * fewestSlots))) : 1
    const works: Work[] = []
    for (let size = 0; size < enough && works.length < most; ) {
      const work = take()
      if (work === undefined) break
      size += sizeOf(work)
      works.push(work)
    }
    return works
  }

  return start
}

/** Calls it once at the end of this turn of the event loop, however often the returned function is called in it. */
export function atEndOfTurn(run: () => void): () => void {
  let isScheduled = false
  return () => {
    if (isScheduled) return
    isScheduled = true
    setImmediate(() => {
      isScheduled = false
      run()
    })
  }
}
