import { type HistoryState, useNavigate, useSearch } from '@tanstack/react-router'
import { useCallback } from 'react'

export type Filters = Readonly<Record<string, string | undefined>>

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** Cursors of the pages visited so far, first to last, so that Back from a row restores them. */
    walked?: readonly (string | undefined)[]
  }
}

/** The filters of a list, kept in the URL: a list can be shared, and Back works. */
export function useFilters(): [Filters, (changes: Filters, state?: HistoryState) => void] {
  const filters = useSearch({ strict: false }) as Filters
  const navigate = useNavigate()
  const change = useCallback(
    (changes: Filters, state?: HistoryState) => {
      // A changed filter starts again at the first page.
      const next = (before: Filters) => ({ ...before, cursor: undefined, ...changes })
      navigate({ to: '.', search: next as never, replace: !('cursor' in changes), state })
    },
    [navigate],
  )
  return [filters, change]
}

/** Keeps URL parameters as plain text: `?q=0123` is not parsed as a number. */
export const plainSearch = {
  parse: (text: string) => Object.fromEntries(new URLSearchParams(text)),
  stringify(search: Record<string, unknown>): string {
    const given = Object.entries(search).filter(([, value]) => value !== undefined && value !== '')
    const text = new URLSearchParams(given.map(([key, value]) => [key, String(value)])).toString()
    return text === '' ? '' : `?${text}`
  },
}
