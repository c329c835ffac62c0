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
import { plainSearch } from './ui/lists/filters.ts'
import { Broken, NotAllowed, NotFound } from './ui/shell/dead-ends.tsx'
import { lazyPage } from './ui/shell/lazy-page.tsx'
import { Shell } from './ui/shell/shell.tsx'
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
  component: lazyPage(['account'], 'SignInPage', () => import('./pages/account/sign-in-page.tsx')),
})
const forgotten = createRoute({
  getParentRoute: () => root,
  path: '/forgotten-password',
  component: lazyPage(['account'], 'ForgottenPage', () => import('./pages/account/forgotten-page.tsx')),
})
const join = createRoute({
  getParentRoute: () => root,
  path: '/join',
  component: lazyPage(['account'], 'JoinPage', () => import('./pages/account/join-page.tsx')),
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

/** A page in the shell, loaded with its texts on first use. People without the scope see a notice. */
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
const webhooks = ['webhooks', 'developers']
const sources = ['sources', 'developers', 'customers']
const messages = ['messages', 'customers']
const directory = () => import('./pages/directory/directory-page.tsx')

const pages = [
  page('/', 'pos', ['home'], 'HomePage', () => import('./pages/dashboard/home-page.tsx')),
  page(
    '/customers',
    'manage',
    ['customers'],
    'CustomersPage',
    () => import('./pages/customers/customers-page.tsx'),
  ),
  page(
    '/customers/$id',
    'manage',
    ['customers', 'coupons', 'transactions', 'messages', 'schema-texts'],
    'CustomerPage',
    () => import('./pages/customers/customer-page.tsx'),
  ),
  page('/import', 'manage', ['import'], 'ImportPage', () => import('./pages/import/import-page.tsx')),
  page(
    '/campaigns',
    'manage',
    ['campaigns'],
    'CampaignsPage',
    () => import('./pages/campaigns/campaigns-page.tsx'),
  ),
  page(
    '/campaigns/new',
    'manage',
    editor,
    'NewCampaignPage',
    () => import('./pages/campaigns/new-campaign-page.tsx'),
  ),
  page(
    '/campaigns/$id',
    'manage',
    preview,
    'CampaignPage',
    () => import('./pages/campaigns/campaign-page.tsx'),
  ),
  page(
    '/campaigns/$id/versions',
    'manage',
    editor,
    'CampaignVersionsPage',
    () => import('./pages/campaigns/campaign-versions-page.tsx'),
  ),
  page(
    '/transactions',
    'manage',
    sales,
    'TransactionsPage',
    () => import('./pages/transactions/transactions-page.tsx'),
  ),
  page(
    '/transactions/$id',
    'manage',
    sale,
    'TransactionPage',
    () => import('./pages/transactions/transaction-page.tsx'),
  ),
  page(
    '/coupons',
    'manage',
    ['coupons', 'customers'],
    'CouponsPage',
    () => import('./pages/coupons/coupons-page.tsx'),
  ),
  page('/messages', 'manage', messages, 'MessagesPage', () => import('./pages/messages/messages-page.tsx')),
  page(
    '/messages/texts/$kind',
    'manage',
    ['messages'],
    'TextsPage',
    () => import('./pages/messages/texts-page.tsx'),
  ),
  page('/messages/$id', 'manage', messages, 'MessagePage', () => import('./pages/messages/message-page.tsx')),
  page('/products', 'manage', ['directory'], 'ProductsPage', directory),
  page('/branches', 'manage', ['directory'], 'BranchesPage', directory),
  page('/users', 'manage', ['directory'], 'UsersPage', directory),
  page('/people', 'people', ['people'], 'PeoplePage', () => import('./pages/people/people-page.tsx')),
  page(
    '/connections',
    'manage',
    ['developers'],
    'ConnectionsPage',
    () => import('./pages/developers/connections-page.tsx'),
  ),
  page(
    '/test-mode',
    'manage',
    ['test-mode', 'developers', 'webhooks'],
    'TestModePage',
    () => import('./pages/test-mode/test-mode-page.tsx'),
  ),
  page('/webhooks', 'manage', webhooks, 'WebhooksPage', () => import('./pages/developers/webhooks-page.tsx')),
  page(
    '/webhooks/$id',
    'manage',
    webhooks,
    'WebhookPage',
    () => import('./pages/developers/webhook-page.tsx'),
  ),
  page(
    '/webhooks/$id/deliveries/$delivery',
    'manage',
    webhooks,
    'DeliveryPage',
    () => import('./pages/developers/delivery-page.tsx'),
  ),
  page('/sources', 'manage', sources, 'SourcesPage', () => import('./pages/sources/sources-page.tsx')),
  page('/sources/$id', 'manage', sources, 'SourcePage', () => import('./pages/sources/source-page.tsx')),
  page(
    '/sources/$id/mapping',
    'manage',
    ['sources', 'transactions', 'schema-texts'],
    'MappingPage',
    () => import('./pages/sources/mapping-page.tsx'),
  ),
  page(
    '/sources/$id/received/$received',
    'manage',
    sources,
    'ReceivedPage',
    () => import('./pages/sources/received-page.tsx'),
  ),
  page('/events', 'manage', webhooks, 'EventsPage', () => import('./pages/developers/events-page.tsx')),
  page(
    '/requests',
    'manage',
    ['developers'],
    'RequestsPage',
    () => import('./pages/developers/requests-page.tsx'),
  ),
  page(
    '/requests/$id',
    'manage',
    ['developers'],
    'RequestPage',
    () => import('./pages/developers/request-page.tsx'),
  ),
  page(
    '/audit',
    'manage',
    ['developers', 'customers'],
    'AuditPage',
    () => import('./pages/developers/audit-page.tsx'),
  ),
  page(
    '/settings/wallet-passes',
    'manage',
    ['passes'],
    'WalletPassesPage',
    () => import('./pages/passes/wallet-passes-page.tsx'),
  ),
  page('/settings', 'pos', ['settings'], 'SettingsPage', () => import('./pages/settings/settings-page.tsx')),
]

/** Unknown paths are shown inside the shell, whose menu leads on. */
const anythingElse = createRoute({ getParentRoute: () => shell, path: '$', component: NotFound })

export function createConsoleRouter(queries: QueryClient) {
  return createRouter({
    routeTree: root.addChildren([signIn, join, forgotten, shell.addChildren([...pages, anythingElse])]),
    basepath: consoleBase,
    context: { queries },
    parseSearch: plainSearch.parse,
    stringifySearch: plainSearch.stringify,
    defaultPendingComponent: Waiting,
    defaultErrorComponent: Broken as never,
    scrollRestoration: true,
  })
}
