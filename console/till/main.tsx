import type { QueryClient } from '@tanstack/react-query'
import { sessionQuery } from '../api/session.ts'
import { mountPage } from '../ui/shell/app-frame.tsx'
import './till.css'
import { TillPage } from './shell/till-page.tsx'

let kept: QueryClient | undefined

await mountPage(
  ['till', 'common', 'account', 'shell', 'balances'],
  (queries) => {
    kept = queries
    return <TillPage />
  },
  {
    // The page keeps its basket and asks the cashier to sign in again.
    onSignedOut: () => kept?.setQueryData(sessionQuery.queryKey, null),
  },
)
