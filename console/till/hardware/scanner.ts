/**
 * A keyboard scanner types the code and Enter, faster than a person can, wherever the focus is. Such a burst
 * is treated as a scan, and its characters are removed from the field they were typed into.
 */
import { useEffect, useRef } from 'react'

/** Average time per key over the whole code, since single keys may be late when the computer is busy. */
const averageGapMs = 60
/** A longer pause starts a new code. */
const longestGapMs = 300
const fewestDigits = 6

type Field = HTMLInputElement | HTMLTextAreaElement
const isField = (item: unknown): item is Field =>
  item instanceof HTMLInputElement || item instanceof HTMLTextAreaElement

/** Without `onScan`, all typing goes where the focus is, including that of a scanner. */
export function useScanner(onScan: ((code: string) => void) | undefined): void {
  const latest = useRef(onScan)
  latest.current = onScan
  useEffect(() => {
    let digits = ''
    let begunAt = 0
    let lastAt = 0
    let field: Field | undefined
    let valueBefore = ''
    const listen = (event: KeyboardEvent) => {
      // A dialog over the page has fields of its own to scan into.
      if (event.target instanceof Element && event.target.closest('[role="dialog"]')) return
      if (event.timeStamp - lastAt > longestGapMs) digits = ''
      lastAt = event.timeStamp
      if (event.key === 'Enter') {
        const code = digits
        digits = ''
        const isFast = event.timeStamp - begunAt <= code.length * averageGapMs
        if (!latest.current || !isFast || code.length < fewestDigits) return
        event.preventDefault()
        event.stopPropagation()
        if (field) writeTo(field, valueBefore)
        latest.current(code)
        return
      }
      if (!/^\d$/.test(event.key) || event.ctrlKey || event.altKey || event.metaKey) {
        if (event.key.length === 1) digits = ''
        return
      }
      if (digits === '') {
        begunAt = event.timeStamp
        field = isField(event.target) ? event.target : undefined
        valueBefore = field?.value ?? ''
      }
      digits += event.key
    }
    // The event is stopped before other listeners run: Enter must not press the focused button.
    window.addEventListener('keydown', listen, { capture: true })
    return () => window.removeEventListener('keydown', listen, { capture: true })
  }, [])
}

/** Sets the value the way typing does: React overrides the `value` setter and listens to the event. */
function writeTo(field: Field, value: string): void {
  Object.getOwnPropertyDescriptor(Object.getPrototypeOf(field), 'value')!.set!.call(field, value)
  field.dispatchEvent(new Event('input', { bubbles: true }))
}
