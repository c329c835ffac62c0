import { RouterProvider } from '@tanstack/react-router'
import { leaveToSignIn } from './api/session.ts'
import { createConsoleRouter } from './routes.tsx'
import { mountPage } from './ui/shell/app-frame.tsx'

await mountPage(
  ['common', 'shell', 'balances'],
  (queries) => <RouterProvider router={createConsoleRouter(queries)} />,
  { onSignedOut: leaveToSignIn },
)
