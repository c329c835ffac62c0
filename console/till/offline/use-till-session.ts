import { useEffect, useState } from 'react'
import { isUnanswered, mayBeSignedIn } from '../../api/client.ts'
import { type Session, useMaybeSession } from '../../api/session.ts'
import { doubt, useOnReturn, useReached } from './reach.ts'
import { forgetDay, recallSession, rememberSession } from './remembered.ts'

/** A network may swallow requests without an error. */
const patienceMs = 3_000

/**
 * The session, and the last one that was known: a session that ends during a sale does not lose the sale.
 * Without the service, the till goes on with the person who signed in last on this day.
 */
export function useTillSession() {
  const { data: session, isPending, error, failureReason, refetch } = useMaybeSession()
  const [known, setKnown] = useState<Session>()
  useEffect(() => {
    if (session) {
      setKnown(session)
      rememberSession(session)
    }
    if (session === null) forgetDay()
  }, [session])
  const isReached = useReached()
  const isUnreached = session === undefined && (!isReached || isUnanswered(failureReason))
  useEffect(() => {
    if (isUnreached && mayBeSignedIn()) setKnown((before) => before ?? recallSession())
  }, [isUnreached])
  useOnReturn(() => session === undefined && refetch())
  useEffect(() => {
    if (!isPending) return
    const timer = setTimeout(doubt, patienceMs)
    return () => clearTimeout(timer)
  }, [isPending])
  return { session, shown: session ?? known, setKnown, isPending, error, refetch }
}
