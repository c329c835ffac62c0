/** The merchant of a storm: an organization of its own with a campaign that has something of everything. */
export interface Merchant {
  readonly organization: string
  readonly apiKey: string
  readonly apiSecret: string
  readonly campaign: string
}

const campaign = {
  name: 'Coffee club',
  balances: [
    { key: 'points', name: 'Points', expires: { after: 'P1Y' } },
    { key: 'stamps', name: 'Stamps' },
  ],
  rules: [
    { id: 'base', kind: 'points_per_amount', balance: 'points', points: 10, per: 1 },
    { id: 'coffee', kind: 'collect_per_item', balance: 'stamps', amount: 1, products: ['latte'] },
  ],
  rewards: [{ key: 'free-coffee', kind: 'free_product', products: ['latte'], validDays: 30 }],
  thresholds: [{ balance: 'stamps', at: 5, grant: 'free-coffee', consume: true }],
  spend: { balance: 'points', worth: 0.01, min: 10, maxShare: 0.5 },
}

export async function openMerchant(baseUrl: string, adminToken: string): Promise<Merchant> {
  const admin = (path: string, body: object) => post(baseUrl, `/admin/v1${path}`, adminToken, body)
  const organization = await admin('/organizations', { name: 'Storm' })
  const integration = await admin('/integrations', { name: 'Till' })
  const connection = await admin(`/organizations/${organization.id}/connections`, {
    integration: integration.id,
    scopes: ['pos', 'manage'],
  })
  const { apiKey } = integration
  const { apiSecret } = connection
  const issued = await fetch(`${baseUrl}/auth/token`, {
    method: 'POST',
    headers: { 'x-api-key': apiKey, 'x-api-secret': apiSecret },
  })
  const { accessToken } = (await issued.json()) as { accessToken: string }
  const created = await post(baseUrl, '/v1/campaigns', accessToken, campaign)
  await post(baseUrl, `/v1/campaigns/${created.id}/publish`, accessToken, {})
  return { organization: organization.id, apiKey, apiSecret, campaign: created.id }
}

// biome-ignore lint/suspicious/noExplicitAny: read the way a client would.
async function post(baseUrl: string, path: string, token: string, body: object): Promise<any> {
  const reply = await fetch(baseUrl + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const text = await reply.text()
  if (!reply.ok) throw new Error(`POST ${path}: ${reply.status} ${text}`)
  return JSON.parse(text)
}
