import { RouterProvider } from '@tanstack/react-router'
import { sessionQuery } from './api/session.ts'
import { createConsoleRouter } from './routes.tsx'
import { mountPage } from './ui/app-frame.tsx'

await mountPage(
  ['common', 'shell'],
  (queries) => <RouterProvider router={createConsoleRouter(queries)} />,
  // The shell looks at it and leads to the sign-in page.
  (queries) => queries.setQueryData(sessionQuery.queryKey, null),
)
