import { sessionQuery } from '../api/session.ts'
import { mountPage } from '../ui/app-frame.tsx'
import './till.css'
import { TillPage } from './till-page.tsx'

await mountPage(
  ['till', 'common', 'account', 'shell'],
  () => <TillPage />,
  // The till stays where it is and asks who goes on.
  (queries) => queries.setQueryData(sessionQuery.queryKey, null),
)
