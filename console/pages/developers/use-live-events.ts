import { useDocumentVisibility } from '@mantine/hooks'
import { useEffect, useRef, useState } from 'react'
import { ApiError } from '../../api/client.ts'
import { leaveToSignIn } from '../../api/session.ts'
import type { EventType } from '../../i18n/event-words.ts'
import { followEvents, type LoyaltyEvent, type Place } from './follow-events.ts'

/** An event, or a place where some are missing. */
export type LiveRow = LoyaltyEvent | { readonly type: 'gap'; readonly id: string }

const mostRows = 200

/**
 * The events since the page was opened, newest first. Nothing is asked for while it is paused or hidden; afterwards
 * it continues where it was.
 */
export function useLiveEvents(type: EventType | undefined, isOn: boolean) {
  const [rows, setRows] = useState<readonly LiveRow[]>([])
  const [isLost, setLost] = useState(false)
  const [error, setError] = useState<unknown>()
  const isVisible = useDocumentVisibility() === 'visible'
  const place = useRef<Place>({})
  const shownType = useRef(type)
  useEffect(() => {
    if (!isOn || !isVisible) return
    const end = new AbortController()
    // With another filter, everything since the page was opened is read again.
    let isAnew = shownType.current !== type
    if (isAnew) place.current.cursor = place.current.start
    shownType.current = type
    const add = (more: readonly LiveRow[]) => {
      const isReplaced = isAnew
      isAnew = false
      setRows((before) => [...more, ...(isReplaced ? [] : before)].slice(0, mostRows))
    }
    followEvents(type, place.current, end.signal, {
      onEvents: (events) => add(events.toReversed()),
      onGap: () => add([{ type: 'gap', id: `gap ${Math.random()}` }]),
      onConnection: setLost,
    }).catch((refusal: unknown) => {
      if (refusal instanceof ApiError && refusal.status === 401) leaveToSignIn()
      else setError(refusal)
    })
    return () => end.abort()
  }, [type, isOn, isVisible])
  const shown = rows.filter((row) => row.type === 'gap' || type === undefined || row.type === type)
  return { rows: shown, isLost: isLost && isOn, error }
}
