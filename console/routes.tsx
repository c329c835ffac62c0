import type { QueryClient } from '@tanstack/react-query'
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
} from '@tanstack/react-router'
import { may, type Session, sessionQuery } from './api/session.ts'
import { consoleBase } from './paths.ts'
import { Broken, NotAllowed, NotFound } from './ui/dead-ends.tsx'
import { plainSearch } from './ui/filters.ts'
import { Shell } from './ui/shell.tsx'
import { Waiting } from './ui/waiting.tsx'

interface Context {
  readonly queries: QueryClient
}

const root = createRootRouteWithContext<Context>()({ component: Outlet })

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  beforeLoad: async ({ context }) => {
    if (await context.queries.ensureQueryData(sessionQuery)) throw redirect({ to: '/' })
  },
  component: lazyRouteComponent(() => import('./pages/sign-in.tsx'), 'SignInPage'),
})
const join = createRoute({
  getParentRoute: () => root,
  path: '/join',
  component: lazyRouteComponent(() => import('./pages/join.tsx'), 'JoinPage'),
})

const shell = createRoute({
  getParentRoute: () => root,
  id: 'shell',
  component: Shell,
  beforeLoad: async ({ context, location }) => {
    const session = await context.queries.ensureQueryData(sessionQuery)
    if (!session) throw redirect({ to: '/sign-in', search: { next: location.href } as never })
    return { session }
  },
})

type Scope = Parameters<typeof may>[1]

/** A page inside the shell, loaded when it is first opened. Those without the scope are told so. */
function page(path: string, scope: Scope, load: () => Promise<Record<string, unknown>>, name: string) {
  const Component = lazyRouteComponent(load as never, name as never)
  return createRoute({
    getParentRoute: () => shell,
    path,
    component: function Guarded() {
      const { session } = shell.useRouteContext() as { session: Session }
      return may(session, scope) ? <Component /> : <NotAllowed />
    },
  })
}

const pages = [
  page('/', 'pos', () => import('./pages/home.tsx'), 'HomePage'),
  page('/customers', 'manage', () => import('./pages/customers.tsx'), 'CustomersPage'),
  page('/customers/$id', 'manage', () => import('./pages/customer.tsx'), 'CustomerPage'),
  page('/campaigns', 'manage', () => import('./pages/campaigns.tsx'), 'CampaignsPage'),
  page('/campaigns/new', 'manage', () => import('./pages/new-campaign.tsx'), 'NewCampaignPage'),
  page('/campaigns/$id', 'manage', () => import('./pages/campaign.tsx'), 'CampaignPage'),
  page(
    '/campaigns/$id/versions',
    'manage',
    () => import('./pages/campaign-versions.tsx'),
    'CampaignVersionsPage',
  ),
  page('/transactions', 'manage', () => import('./pages/transactions.tsx'), 'TransactionsPage'),
  page('/transactions/$id', 'manage', () => import('./pages/transaction.tsx'), 'TransactionPage'),
  page('/coupons', 'manage', () => import('./pages/coupons.tsx'), 'CouponsPage'),
  page('/products', 'manage', () => import('./pages/directory.tsx'), 'ProductsPage'),
  page('/branches', 'manage', () => import('./pages/directory.tsx'), 'BranchesPage'),
  page('/users', 'manage', () => import('./pages/directory.tsx'), 'UsersPage'),
  page('/people', 'people', () => import('./pages/people.tsx'), 'PeoplePage'),
  page('/connections', 'manage', () => import('./pages/connections.tsx'), 'ConnectionsPage'),
  page('/requests', 'manage', () => import('./pages/requests.tsx'), 'RequestsPage'),
  page('/requests/$id', 'manage', () => import('./pages/request.tsx'), 'RequestPage'),
  page('/audit', 'manage', () => import('./pages/audit.tsx'), 'AuditPage'),
  page('/settings', 'pos', () => import('./pages/settings.tsx'), 'SettingsPage'),
]

/** Inside the shell: its menu is the way on. */
const anythingElse = createRoute({ getParentRoute: () => shell, path: '$', component: NotFound })

export function createConsoleRouter(queries: QueryClient) {
  return createRouter({
    routeTree: root.addChildren([signIn, join, shell.addChildren([...pages, anythingElse])]),
    basepath: consoleBase,
    context: { queries },
    parseSearch: plainSearch.parse,
    stringifySearch: plainSearch.stringify,
    defaultPendingComponent: Waiting,
    defaultErrorComponent: Broken as never,
    scrollRestoration: true,
  })
}
