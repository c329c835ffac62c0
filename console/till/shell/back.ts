/**
 * What is open, in the browser's history: Back closes it, Forward shows the return or the receipt again, and
 * a reload stays where it was. In `history.state` and not in the address: no one shares a link to the middle
 * of a sale, and no receipt number stays in the list of visited pages.
 *
 * What is closed otherwise, by a button or by Escape, leaves its entry behind: a spare one, if it looks like
 * the entry below it. The next thing that opens takes its place, and Back passes over it; so the history does
 * not grow.
 */
import { useEffect, useRef, useSyncExternalStore } from 'react'

export interface Shown {
  readonly view: 'sale' | 'return' | 'done'
  /** The receipt to return, or the number of what was done. */
  readonly number?: string
}

interface Look extends Shown {
  /** How many dialogs and panels are open. */
  readonly layers: number
}

interface Entry extends Look {
  /** How many entries of the till lie below, and what the next of them looks like. */
  readonly index: number
  readonly below?: Look
  /** Nothing at all lies below: the till was the first page of its window. */
  readonly isBottom?: boolean
}

const views: readonly unknown[] = ['sale', 'return', 'done'] satisfies Shown['view'][]

function entryOf(state: unknown): Entry | undefined {
  const given = (state as { till?: Entry } | null)?.till
  return given && views.includes(given.view) && Number.isInteger(given.index) ? given : undefined
}

/** What closes the open dialogs and panels, the topmost last. */
const layers: (() => void)[] = []
const listeners = new Set<() => void>()
/** Asks whether to leave the till; undefined when nothing is lost with it. */
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

/** The lowest spare entry stays: from it Back asks before it leaves the till. */
function open(look: Partial<Look>): void {
  if (isSpare(current) && current.index > 1) put({ ...current, ...look }, 'replace')
  else put({ ...over(current), ...look }, 'push')
}

window.addEventListener('popstate', ({ state }) => {
  const before = current
  const landed = entryOf(state)
  // A link within the page, such as to its main part.
  if (!landed) return put(over(before), 'replace')
  const isBack = landed.index < before.index
  while (layers.length > landed.layers) layers.pop()!()
  // What was open here before is not opened again, and a view that was left for the sale is not come back to.
  const isLeft = isBack && before.view === 'sale'
  put({ ...landed, layers: layers.length, ...(isLeft && { view: 'sale', number: undefined }) }, 'replace')
  if (!isBack || !looksLike(before, current)) return
  // Nothing was there to be closed.
  if (current.index === 0 && askToLeave) {
    history.forward()
    if (!current.isBottom) askToLeave()
  } else {
    history.back()
  }
})

/** The view that is open, and how to open another: over the sale, and in place of any other. */
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

/** Closes everything that was open before another person takes over. */
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
    // One entry to come back from.
    if (index === 0) put(over(current), 'push')
    return () => {
      askToLeave = undefined
    }
  }, [isNeeded, index])
}

/** Out of the till, to the page before it. */
export const leave = (): void => history.go(-current.index - 1)
