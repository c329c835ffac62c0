/**
 * What a till needs to know about its organization, the directory and balances; managing them requires the
 * scope `manage`.
 */
import { type Static, Type } from 'typebox'
import { modeOf } from '../../domain/organization.ts'
import { listNamedBalances } from '../../store/campaigns.ts'
import { findContact } from '../../store/organizations.ts'
import { listSenders } from '../../store/senders.ts'
import { tenantOf } from '../../store/tenant.ts'
import { listTillEntries, type TillEntry } from '../../store/till-directory.ts'
import type { Server } from '../fastify-server.ts'
import { named, parameter } from '../openapi/name-components.ts'
import { isStorable } from '../plugins/json-body.ts'
import { decodeCursor, limitOf, PageQuery, refuseCursor, toPage } from '../requests/paging.ts'
import { Channels, OrganizationMode, SessionScope } from '../schemas/choices.ts'
import { directoryExamples, tillBalanceExample, tillOrganizationExample } from '../schemas/examples.ts'
import { Optional, PageOf, Text } from '../schemas/fields.ts'
import { ConsentText } from '../schemas/organization.ts'
import type { ServerOptions } from '../server-options.ts'

const entry = {
  opaqueId: Type.String({ description: 'Your own ID.' }),
  name: Optional(Type.String({ description: 'What people call it.' })),
}

const lists = {
  products: {
    operationId: 'listTillProducts',
    summary: 'List products for a till, by category and name',
    reply: Type.Object(
      {
        ...entry,
        category: Optional(Type.String({ description: 'Your category.' })),
        price: Optional(Type.Number({ description: 'Usual price; only a suggestion.' })),
      },
      { ...named('TillProduct'), examples: [directoryExamples.products] },
    ),
  },
  branches: {
    operationId: 'listTillBranches',
    summary: 'List branches for a till, by name',
    reply: Type.Object(entry, {
      ...named('TillBranch'),
      examples: [directoryExamples.branches],
    }),
  },
}

const TillBalance = Type.Object(
  {
    key: Type.String({ description: 'Key of the balance.' }),
    name: Type.String({ description: 'The name customers see.' }),
    decimals: Type.Integer({ description: 'Number of decimals to show.' }),
  },
  { ...named('TillBalance'), examples: [tillBalanceExample] },
)

const EntryQuery = Type.Object({
  ...PageQuery,
  q: Optional(
    Text(255, {
      ...parameter('TillSearch'),
      description: 'Part of the opaque ID, the name or the category.',
    }),
  ),
  opaqueId: Optional(
    Type.Array(Text(255, { minLength: 1 }), {
      ...parameter('TillEntries'),
      maxItems: 100,
      description: 'Only these. Repeat it for several, such as `opaqueId=tea&opaqueId=latte`.',
    }),
  ),
})

const TillOrganization = Type.Object(
  {
    name: Type.String({ description: 'Name of the organization.' }),
    mode: OrganizationMode,
    country: Type.String({ description: 'Region of phone numbers that are sent without a country code.' }),
    currency: Type.String({ description: 'Currency of every amount of money.' }),
    currencyDecimals: Type.Integer({ description: 'Decimals of the currency: 2 for USD, 0 for JPY.' }),
    timezone: Type.String({ description: 'Time zone of days and of the times of rules.' }),
    scopes: Type.Array(SessionScope, { description: 'What the token or the signed-in person may do.' }),
    channels: Type.Array(Channels, {
      description: 'How messages can be sent to customers; none if they cannot.',
    }),
    consentText: Optional(ConsentText),
  },
  {
    ...named('TillOrganization'),
    description: 'What a till has to know.',
    examples: [tillOrganizationExample],
  },
)

export function tillRoutes(app: Server, options: ServerOptions): void {
  tillOrganization(app, options)
  tillBalances(app, options)
  tillEntries(app, options)
}

function tillOrganization(app: Server, { deps }: ServerOptions): void {
  app.get(
    '/v1/till/organization',
    {
      config: { access: ['pos'] },
      schema: {
        operationId: 'getTillOrganization',
        summary: 'Get what a till has to know about its organization, and its own scopes',
        tags: ['Organization'],
        response: { 200: TillOrganization },
      },
    },
    async ({ caller }) => {
      const { name, country, currency, currencyDecimals, timezone } = caller.organization
      const scopes = [...caller.scopes] as Static<typeof SessionScope>[]
      const tenant = tenantOf(deps.pool, caller.organization.orgId)
      const channels = (await listSenders(tenant)).map(({ channel }) => channel)
      const { consentText } = await findContact(tenant)
      const mode = modeOf(caller.organization)
      return { name, mode, country, currency, currencyDecimals, timezone, scopes, channels, consentText }
    },
  )
}

function tillBalances(app: Server, { deps }: ServerOptions): void {
  app.get(
    '/v1/till/balances',
    {
      config: { access: ['pos'] },
      schema: {
        operationId: 'listTillBalances',
        summary: 'List the names of balances, by key',
        description:
          'Includes every campaign that was ever published, even if it is now paused or archived: customers still hold its balances.',
        tags: ['Campaigns'],
        querystring: Type.Object(PageQuery),
        response: { 200: PageOf(TillBalance) },
      },
    },
    async (request) => {
      const tenant = tenantOf(deps.pool, request.caller.organization.orgId)
      const limit = limitOf(request.query)
      const after = decodeCursor(request.query.cursor)
      if (after !== undefined && !isStorable(after)) refuseCursor()
      const rows = await listNamedBalances(tenant, { limit: limit + 1, after })
      return toPage(
        rows,
        limit,
        ({ key }) => key,
        (row) => row,
      )
    },
  )
}

function tillEntries(app: Server, { deps }: ServerOptions): void {
  for (const kind of ['products', 'branches'] as const) {
    const { operationId, summary, reply } = lists[kind]
    app.get(
      `/v1/till/${kind}`,
      {
        config: { access: ['pos'] },
        schema: {
          operationId,
          summary,
          tags: ['Directory'],
          querystring: EntryQuery,
          response: { 200: PageOf(reply) },
        },
      },
      async (request) => {
        const tenant = tenantOf(deps.pool, request.caller.organization.orgId)
        const limit = limitOf(request.query)
        const { opaqueId: opaqueIds, q } = request.query
        const text = q?.trim() || undefined
        const after = toPosition(decodeCursor(request.query.cursor))
        const rows = await listTillEntries(tenant, kind, { text, opaqueIds, limit: limit + 1, after })
        return toPage(
          rows,
          limit,
          ({ opaqueId, name, category }) => JSON.stringify({ opaqueId, name, category }),
          (row) => row,
        )
      },
    )
  }
}

function toPosition(text: string | undefined): TillEntry | undefined {
  if (text === undefined) return undefined
  let position: unknown
  try {
    position = JSON.parse(text)
  } catch {
    refuseCursor()
  }
  const { opaqueId, name, category } = (position ?? {}) as Record<string, unknown>
  const isText = (value: unknown) => typeof value === 'string' && isStorable(value)
  if (!isText(opaqueId) || ![name, category].every((value) => value === undefined || isText(value)))
    refuseCursor()
  return { opaqueId, name, category } as TillEntry
}
