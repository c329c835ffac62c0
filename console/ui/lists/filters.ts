import { type HistoryState, useNavigate, useSearch } from '@tanstack/react-router'
import { useCallback } from 'react'

export type Filters = Readonly<Record<string, string | undefined>>

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** Pages of a list that were walked through, first to last: Back from a row knows them again. */
    walked?: readonly (string | undefined)[]
  }
}

/** The filters of a list live in its address: it can be shared, and Back works. */
export function useFilters(): [Filters, (changes: Filters, state?: HistoryState) => void] {
  const filters = useSearch({ strict: false }) as Filters
  const navigate = useNavigate()
  const change = useCallback(
    (changes: Filters, state?: HistoryState) => {
      // Another filter is another list: it begins at its first page.
      const next = (before: Filters) => ({ ...before, cursor: undefined, ...changes })
      navigate({ to: '.', search: next as never, replace: !('cursor' in changes), state })
    },
    [navigate],
  )
  return [filters, change]
}

/** Addresses as plain text: `?q=0123` stays a text and is not read as a number. */
export const plainSearch = {
  parse: (text: string) => Object.fromEntries(new URLSearchParams(text)),
  stringify(search: Record<string, unknown>): string {
    const given = Object.entries(search).filter(([, value]) => value !== undefined && value !== '')
    const text = new URLSearchParams(given.map(([key, value]) => [key, String(value)])).toString()
    return text === '' ? '' : `?${text}`
  },
}
