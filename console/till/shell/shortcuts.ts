import { useEffect, useRef } from 'react'

/** Keyboard shortcuts of the till, in the order in which the help lists them. */
export const shortcutKeys = ['F2', 'F3', 'F4', 'F6', 'F7', 'F8', 'F9', 'Escape', '?'] as const
export type Shortcut = (typeof shortcutKeys)[number]

/** Handles the shortcuts wherever the focus is, except while a dialog is open, which has its own keys. */
export function useShortcuts(actions: Partial<Record<Shortcut, () => void>>): void {
  const latest = useRef(actions)
  latest.current = actions
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.ctrlKey || event.altKey || event.metaKey) return
      const { target } = event
      if (!(target instanceof Element) || target.closest('[role="dialog"], [role="menu"]')) return
      if (event.key === '?' && target.matches('input, textarea')) return
      const action = latest.current[event.key as Shortcut]
      if (!action) return
      event.preventDefault()
      action()
    }
    window.addEventListener('keydown', listen)
    return () => window.removeEventListener('keydown', listen)
  }, [])
}
