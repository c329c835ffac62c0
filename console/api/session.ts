import { useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { setAhead } from '../i18n/format.ts'
import { consoleBase, paths } from '../paths.ts'
import { ApiError, api, dataOf, mayBeSignedIn, type Schemas } from './client.ts'

export type Session = Schemas['ConsoleSession']

export const sessionQuery = {
  queryKey: ['session'],
  staleTime: 5 * 60_000,
  retry: (failures: number, error: Error) =>
    failures < 2 && !(error instanceof ApiError && error.status === 401),
  queryFn: async (): Promise<Session | null> => {
    if (!mayBeSignedIn()) return null
    try {
      const session = await dataOf(api.GET('/auth/session'))
      setAhead(session.organization.aheadSeconds)
      return session
    } catch (error) {
      if (error instanceof ApiError && error.status === 401) return null
      throw error
    }
  },
}

/** The signed-in person; null when signed out. */
export function useMaybeSession() {
  return useQuery(sessionQuery)
}

/** Session for pages that require a sign-in. */
export function useSession(): Session {
  const { data } = useSuspenseQuery(sessionQuery)
  if (!data) throw new ApiError(401, '_unauthorized', 'Sign in first.')
  return data
}

export const may = (session: Session, scope: 'pos' | 'manage' | 'people'): boolean =>
  session.scopes.includes(scope)

/** Loads the sign-in page anew, so that nothing of the previous session stays in memory. */
export function leaveToSignIn(): void {
  const { pathname, search } = location
  const signIn = consoleBase + paths.signIn()
  if (pathname === signIn) return
  const next = new URLSearchParams({ next: pathname.slice(consoleBase.length) + search })
  location.assign(`${signIn}?${next}`)
}
