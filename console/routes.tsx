import type { QueryClient } from '@tanstack/react-query'
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  Outlet,
  redirect,
} from '@tanstack/react-router'
import { may, type Session, sessionQuery } from './api/session.ts'
import { consoleBase } from './paths.ts'
import { Broken, NotAllowed, NotFound } from './ui/dead-ends.tsx'
import { plainSearch } from './ui/filters.ts'
import { lazyPage } from './ui/lazy-page.tsx'
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
  component: lazyPage(['account'], 'SignInPage', () => import('./pages/sign-in.tsx')),
})
const join = createRoute({
  getParentRoute: () => root,
  path: '/join',
  component: lazyPage(['account'], 'JoinPage', () => import('./pages/join.tsx')),
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

/** A page inside the shell, loaded with its texts when it is first opened. Those without the scope are told so. */
function page(path: string, scope: Scope, ...parts: Parameters<typeof lazyPage>) {
  const Component = lazyPage(...parts)
  return createRoute({
    getParentRoute: () => shell,
    path,
    component: function Guarded() {
      const { session } = shell.useRouteContext() as { session: Session }
      return may(session, scope) ? <Component /> : <NotAllowed />
    },
  })
}

const editor = ['campaigns', 'forms', 'schema-texts']
const preview = ['campaigns', 'forms', 'schema-texts', 'transactions']
const sale = ['transactions', 'customers', 'schema-texts']
const sales = ['transactions', 'customers']
const directory = () => import('./pages/directory.tsx')

const pages = [
  page('/', 'pos', ['home'], 'HomePage', () => import('./pages/home.tsx')),
  page('/customers', 'manage', ['customers'], 'CustomersPage', () => import('./pages/customers.tsx')),
  page(
    '/customers/$id',
    'manage',
    ['customers', 'coupons', 'transactions', 'schema-texts'],
    'CustomerPage',
    () => import('./pages/customer.tsx'),
  ),
  page('/campaigns', 'manage', ['campaigns'], 'CampaignsPage', () => import('./pages/campaigns.tsx')),
  page('/campaigns/new', 'manage', editor, 'NewCampaignPage', () => import('./pages/new-campaign.tsx')),
  page('/campaigns/$id', 'manage', preview, 'CampaignPage', () => import('./pages/campaign.tsx')),
  page(
    '/campaigns/$id/versions',
    'manage',
    editor,
    'CampaignVersionsPage',
    () => import('./pages/campaign-versions.tsx'),
  ),
  page('/transactions', 'manage', sales, 'TransactionsPage', () => import('./pages/transactions.tsx')),
  page('/transactions/$id', 'manage', sale, 'TransactionPage', () => import('./pages/transaction.tsx')),
  page('/coupons', 'manage', ['coupons', 'customers'], 'CouponsPage', () => import('./pages/coupons.tsx')),
  page('/products', 'manage', ['directory'], 'ProductsPage', directory),
  page('/branches', 'manage', ['directory'], 'BranchesPage', directory),
  page('/users', 'manage', ['directory'], 'UsersPage', directory),
  page('/people', 'people', ['people'], 'PeoplePage', () => import('./pages/people.tsx')),
  page('/connections', 'manage', ['developers'], 'ConnectionsPage', () => import('./pages/connections.tsx')),
  page('/requests', 'manage', ['developers'], 'RequestsPage', () => import('./pages/requests.tsx')),
  page('/requests/$id', 'manage', ['developers'], 'RequestPage', () => import('./pages/request.tsx')),
  page('/audit', 'manage', ['developers'], 'AuditPage', () => import('./pages/audit.tsx')),
  page('/settings', 'pos', ['settings'], 'SettingsPage', () => import('./pages/settings.tsx')),
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
