/**
 * Keeps what is open in the browser's history: Back closes it, Forward shows the return or the receipt again,
 * and a reload stays where it was. The state is in `history.state` and not in the URL: no one shares a link
 * to the middle of a sale, and no receipt number stays in the list of visited pages.
 *
 * Closing something by a button or Escape leaves its history entry behind. If that entry looks like the one
 * below it, it is a spare entry: the next thing that opens reuses it, and Back skips it, so the history does
 * not grow.
 */
import { useEffect, useRef, useSyncExternalStore } from 'react'

export interface Shown {
  readonly view: 'sale' | 'return' | 'done'
  /** The receipt to return, or the number of the settled sale or return. */
  readonly number?: string
}

interface Look extends Shown {
  /** Number of open dialogs and panels. */
  readonly layers: number
}

interface Entry extends Look {
  /** Number of the till's entries below this one; `below` is what the next of them looks like. */
  readonly index: number
  readonly below?: Look
  /** Whether nothing lies below: the till was the first page of its window. */
  readonly isBottom?: boolean
}

const views: readonly unknown[] = ['sale', 'return', 'done'] satisfies Shown['view'][]

function entryOf(state: unknown): Entry | undefined {
  const given = (state as { till?: Entry } | null)?.till
  return given && views.includes(given.view) && Number.isInteger(given.index) ? given : undefined
}

/** Functions that close the open dialogs and panels, the topmost last. */
const layers: (() => void)[] = []
const listeners = new Set<() => void>()
/** Asks whether to leave the till; undefined if nothing would be lost. */
let askToLeave: (() => void) | undefined

const first = { view: 'sale', index: 0, isBottom: history.length === 1 } as const
let current: Entry = { ...(entryOf(history.state) ?? first), layers: 0 }
put(current, 'replace')

function put(entry: Entry, how: 'push' | 'replace'): void {
  current = entry
  const state = { till: entry }
  if (how === 'push') history.pushState(state, '')
  else history.replaceState(state, '')
  for (const listener of listeners) listener()
}

const looksLike = (item: Look, other: Look): boolean =>
  item.view === other.view && item.number === other.number && item.layers === other.layers
const isSpare = (entry: Entry): boolean => entry.below !== undefined && looksLike(entry, entry.below)

function over({ view, number, layers: count, index }: Entry): Entry {
  const look = { view, number, layers: count }
  return { ...look, index: index + 1, below: look }
}

/** The lowest spare entry is not reused: Back from it asks before leaving the till. */
function open(look: Partial<Look>): void {
  if (isSpare(current) && current.index > 1) put({ ...current, ...look }, 'replace')
  else put({ ...over(current), ...look }, 'push')
}

window.addEventListener('popstate', ({ state }) => {
  const before = current
  const landed = entryOf(state)
  // The entry belongs to a link within the page, such as the one to the main content.
  if (!landed) return put(over(before), 'replace')
  const isBack = landed.index < before.index
  while (layers.length > landed.layers) layers.pop()!()
  // Dialogs of this entry are not reopened, and Back does not return to a view that was left for the sale.
  const isLeft = isBack && before.view === 'sale'
  put({ ...landed, layers: layers.length, ...(isLeft && { view: 'sale', number: undefined }) }, 'replace')
  if (!isBack || !looksLike(before, current)) return
  // Back closed nothing.
  if (current.index === 0 && askToLeave) {
    history.forward()
    if (!current.isBottom) askToLeave()
  } else {
    history.back()
  }
})

/** The open view, and a function to open another: on top of the sale, or in place of any other view. */
export function useShown(): { shown: Shown; show: (shown: Shown) => void } {
  return { shown: useEntry(), show }
}

function useEntry(): Entry {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => current,
  )
}

function show({ view, number }: Shown): void {
  if (view === 'sale' && current.view === 'sale') return
  if (current.view === 'sale') open({ view, number })
  else put({ ...current, view, number }, 'replace')
}

/** Returns to the sale before another person takes over. */
export const startOver = (): void => show({ view: 'sale' })

/** Adds a history entry for a dialog or a panel while it is open. */
export function useClosedByBack(close: () => void): void {
  const latest = useRef(close)
  latest.current = close
  useEffect(() => {
    const layer = () => latest.current()
    layers.push(layer)
    open({ layers: layers.length })
    return () => {
      const place = layers.indexOf(layer)
      if (place < 0) return
      layers.splice(place, 1)
      put({ ...current, layers: layers.length }, 'replace')
    }
  }, [])
}

/** Asks before Back leaves the till with an uncharged basket. */
export function useAsksToLeave(ask: (() => void) | undefined): void {
  const latest = useRef(ask)
  latest.current = ask
  const isNeeded = ask !== undefined
  const { index } = useEntry()
  useEffect(() => {
    if (!isNeeded) return
    askToLeave = () => latest.current?.()
    // One more entry, so that Back can be caught.
    if (index === 0) put(over(current), 'push')
    return () => {
      askToLeave = undefined
    }
  }, [isNeeded, index])
}

/** Leaves the till for the page before it. */
export const leave = (): void => history.go(-current.index - 1)
