/** Where everything in the console is. The only place that spells an address. */
export const paths = {
  home: () => '/',
  signIn: () => '/sign-in',
  join: () => '/join',
  customers: () => '/customers',
  customer: (id: string) => `/customers/${id}`,
  campaigns: () => '/campaigns',
  newCampaign: () => '/campaigns/new',
  campaign: (id: string) => `/campaigns/${id}`,
  campaignVersions: (id: string) => `/campaigns/${id}/versions`,
  transactions: () => '/transactions',
  transaction: (id: string) => `/transactions/${id}`,
  coupons: () => '/coupons',
  products: () => '/products',
  branches: () => '/branches',
  users: () => '/users',
  people: () => '/people',
  connections: () => '/connections',
  requests: () => '/requests',
  request: (id: string) => `/requests/${id}`,
  audit: () => '/audit',
  settings: () => '/settings',
}

/** Where the console lies in the service; its own addresses are below. */
export const consoleBase = '/console'

/** Outside of the console. */
export const till = '/till'
export const apiReference = '/docs'
