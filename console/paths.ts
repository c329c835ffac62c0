/** Paths of the console's pages. This is the only place that spells them out. */
export const paths = {
  home: () => '/',
  signIn: () => '/sign-in',
  join: () => '/join',
  forgotten: () => '/forgotten-password',
  customers: () => '/customers',
  customer: (id: string) => `/customers/${id}`,
  import: () => '/import',
  campaigns: () => '/campaigns',
  newCampaign: () => '/campaigns/new',
  campaign: (id: string) => `/campaigns/${id}`,
  campaignVersions: (id: string) => `/campaigns/${id}/versions`,
  transactions: () => '/transactions',
  transaction: (id: string) => `/transactions/${id}`,
  coupons: () => '/coupons',
  messages: () => '/messages',
  message: (id: string) => `/messages/${id}`,
  messageText: (kind: string) => `/messages/texts/${kind}`,
  products: () => '/products',
  branches: () => '/branches',
  users: () => '/users',
  people: () => '/people',
  walletPasses: () => '/settings/wallet-passes',
  connections: () => '/connections',
  webhooks: () => '/webhooks',
  webhook: (id: string) => `/webhooks/${id}`,
  delivery: (webhook: string, id: string) => `/webhooks/${webhook}/deliveries/${id}`,
  sources: () => '/sources',
  source: (id: string) => `/sources/${id}`,
  sourceMapping: (id: string) => `/sources/${id}/mapping`,
  received: (source: string, id: string) => `/sources/${source}/received/${id}`,
  events: () => '/events',
  requests: () => '/requests',
  request: (id: string) => `/requests/${id}`,
  audit: () => '/audit',
  testMode: () => '/test-mode',
  settings: () => '/settings',
}

/** Base path of the console, which `paths` are relative to. */
export const consoleBase = '/console'

/** Paths outside of the console. */
export const till = '/till'
export const apiReference = '/docs'
export const guide = (name: 'import' | 'messages' | 'sources' | 'wallet-passes'): string =>
  `/docs/guides/${name}`
