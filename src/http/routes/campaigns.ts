import { type TObject, type TSchema, Type } from 'typebox'
import type { Campaign } from '../../domain/campaign.ts'
import { type CampaignId, parseId } from '../../domain/ids.ts'
import { Refused } from '../../domain/refusal.ts'
import { CampaignDefinition } from '../../engine/definition/campaign-definition.ts'
import {
  createCampaign,
  getCampaign,
  patchCampaign,
  publishCampaign,
  stopCampaign,
} from '../../operations/campaigns/manage-campaigns.ts'
import { previewCampaign } from '../../operations/campaigns/preview-campaign.ts'
import { getVisibleCampaign, listVisibleCampaigns } from '../../operations/campaigns/visible-campaigns.ts'
import { tenantOf } from '../../store/tenant.ts'
import type { Server } from '../fastify-server.ts'
import { named } from '../openapi/name-components.ts'
import { toOutcomeReply } from '../replies/transaction.ts'
import { toBasketRequest } from '../requests/basket-request.ts'
import { createNow } from '../requests/now-of.ts'
import { listPage, PageQuery } from '../requests/paging.ts'
import { respondToWrite } from '../respond.ts'
import { CampaignStatus } from '../schemas/choices.ts'
import { campaignDefinitionExample, campaignExample, draftExample } from '../schemas/examples.ts'
import { CreatedAt, Id, NoBody, Nullable, Optional, PageOf, UpdatedAt } from '../schemas/fields.ts'
import { Outcome, TriedBasket } from '../schemas/transaction.ts'
import type { ServerOptions } from '../server-options.ts'

const tags = ['Campaigns']
const CampaignPath = Type.Object({ id: Id('cmp') })

const managed = {
  id: Id('cmp'),
  status: CampaignStatus,
  version: Type.Integer({ description: 'The newest published version; 0 if there is none yet.' }),
  hasChanges: Type.Boolean({ description: 'Whether the draft differs from the published version.' }),
  createdAt: CreatedAt,
  updatedAt: UpdatedAt,
}

export const aboutDefinition = 'What customers earn, by which rules, and what for.'

const CampaignReply = Type.Unsafe<object>(
  Type.Object(
    { ...managed, ...CampaignDefinition.properties },
    {
      ...named('Campaign'),
      examples: [campaignExample],
    },
  ),
)
const DraftReply = Type.Unsafe<object>({ ...CampaignReply, examples: [draftExample] })
const CampaignBody = Type.Unsafe<Record<string, unknown>>({
  ...CampaignDefinition,
  ...named('CampaignDefinition'),
  description: aboutDefinition,
  examples: [campaignDefinitionExample],
})
const CampaignPatch = Type.Unsafe<Record<string, unknown>>(
  Type.Object(patchOf(CampaignDefinition), {
    ...named('CampaignPatch'),
    description: 'JSON Merge Patch of the definition: lists are replaced as a whole.',
    examples: [{ name: 'Coffee lovers' }],
  }),
)

/** The properties of a merge patch: all are optional, and null removes what may be absent. */
function patchOf(whole: TObject): Record<string, TSchema> {
  const { properties, required = [] } = whole as { properties: TObject['properties']; required?: string[] }
  return Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => {
      if (required.includes(name)) return [name, Optional(schema)]
      const { description, ...rest } = schema as TSchema & { description?: string }
      const patch = Type.IsObject(schema) ? Type.Object(patchOf(schema)) : (rest as TSchema)
      return [name, Optional(Nullable(patch, description))]
    }),
  )
}

function toCampaignReply(campaign: Campaign) {
  const { id, status, version, hasChanges, draft, createdAt, updatedAt } = campaign
  return {
    id,
    status,
    version,
    hasChanges,
    ...draft,
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
  }
}

const creation = {
  summary: 'Create a campaign as a draft',
  description:
    'All campaigns that run on one card together, published or paused, can be 100, with 1000 rules, 50 balances, ' +
    '200 thresholds and 50 tiers. Checked whenever a campaign is written or published; what was published ' +
    'before stays valid.',
}
/** The engine checks a definition itself, which takes long for one of a thousand rules. */
const long = { access: ['manage'], isLong: true } as const
const written = { ...long, skipsBodySchema: true } as const
const stopping = { access: ['manage'] } as const
const definitionRefusals = ['invalid_campaign_definition'] as const
const spendRefusals = [
  'points_not_spendable',
  'insufficient_points',
  'points_below_minimum',
  'points_above_share',
] as const

export function campaignRoutes(app: Server, { deps }: ServerOptions): void {
  const timeFor = createNow(deps)

  app.get(
    '/v1/campaigns',
    {
      config: { access: ['pos', 'manage'] },
      schema: {
        operationId: 'listCampaigns',
        summary: 'List campaigns, newest first',
        description: 'A till sees published campaigns only.',
        tags,
        querystring: Type.Object({ ...PageQuery, status: Optional(CampaignStatus) }),
        response: { 200: PageOf(CampaignReply) },
      },
    },
    async (request) => {
      const { caller, query } = request
      const tenant = tenantOf(deps.pool, caller.organization.orgId)
      const list = (page: { limit: number; after?: CampaignId }) =>
        listVisibleCampaigns(tenant, caller, query.status, page)
      return listPage('cmp', query, list, toCampaignReply)
    },
  )

  app.get(
    '/v1/campaigns/:id',
    {
      config: { access: ['pos', 'manage'], refusals: ['campaign_not_found'] },
      schema: {
        operationId: 'getCampaign',
        summary: 'Get a campaign',
        tags,
        params: CampaignPath,
        response: { 200: CampaignReply },
      },
    },
    async (request) => {
      const tenant = tenantOf(deps.pool, request.caller.organization.orgId)
      const id = parseId('cmp', request.params.id)
      return toCampaignReply(await getVisibleCampaign(tenant, request.caller, id))
    },
  )

  app.post(
    '/v1/campaigns',
    {
      config: { ...written, isRepeatable: true, refusals: definitionRefusals },
      schema: {
        operationId: 'createCampaign',
        ...creation,
        tags,
        body: CampaignBody,
        response: { 201: DraftReply },
      },
    },
    (request, reply) =>
      respondToWrite(deps, request, reply, {
        work: (tenant) =>
          createCampaign(tenant, request.caller.organization, toObject(request.body), timeFor(request)),
        status: 201,
        render: toCampaignReply,
      }),
  )

  app.patch(
    '/v1/campaigns/:id',
    {
      config: {
        ...written,
        refusals: ['campaign_not_found', ...definitionRefusals],
      },
      schema: {
        operationId: 'patchCampaign',
        summary: "Change a campaign's draft",
        description: 'A published campaign keeps running unchanged until it is published again.',
        tags,
        params: CampaignPath,
        body: CampaignPatch,
        response: { 200: CampaignReply },
      },
    },
    (request, reply) => {
      const id = parseId('cmp', request.params.id)
      return respondToWrite(deps, request, reply, {
        work: (tenant) =>
          patchCampaign(tenant, request.caller.organization, id, toObject(request.body), timeFor(request)),
        status: 200,
        render: toCampaignReply,
      })
    },
  )

  campaignStates(app, { deps })
}

/** The engine validates the definition itself; here it only has to be an object. */
function toObject(body: unknown): Record<string, unknown> {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw new Refused('_invalid_payload', 'The body must be an object.')
  }
  return body as Record<string, unknown>
}

function campaignStates(app: Server, { deps }: Pick<ServerOptions, 'deps'>): void {
  const timeFor = createNow(deps)
  const summaries = {
    publish: 'Publish the draft as the next version',
    pause: 'Pause a campaign: no registrations, and nothing is collected',
    archive: 'Archive a campaign permanently',
  }

  for (const action of ['publish', 'pause', 'archive'] as const) {
    app.post(
      `/v1/campaigns/:id/${action}`,
      {
        config: {
          ...(action === 'publish' ? long : stopping),
          isRepeatable: true,
          refusals: ['campaign_not_found', 'invalid_campaign', ...definitionRefusals],
        },
        schema: {
          operationId: `${action}Campaign`,
          summary: summaries[action],
          tags,
          params: Type.Object({ id: Id('cmp') }),
          body: NoBody,
          response: { 200: CampaignReply },
        },
      },
      (request, reply) => {
        const id = parseId('cmp', request.params.id)
        const { organization } = request.caller
        return respondToWrite(deps, request, reply, {
          work: (tenant) =>
            action === 'publish'
              ? publishCampaign(tenant, organization, id, timeFor(request))
              : stopCampaign(tenant, id, action === 'pause' ? 'paused' : 'archived', timeFor(request)),
          status: 200,
          render: toCampaignReply,
        })
      },
    )
  }

  app.post(
    '/v1/campaigns/:id/preview',
    {
      config: {
        ...long,
        refusals: ['campaign_not_found', ...definitionRefusals, ...spendRefusals],
      },
      schema: {
        operationId: 'previewCampaign',
        summary: 'Try the draft on a basket and a wallet',
        description:
          'Shows what the draft, or a `definition` in the body, would do and why. Nothing is stored. The number of items times the number of rules can be at most 50000.',
        tags,
        params: CampaignPath,
        body: TriedBasket,
        response: { 200: Outcome },
      },
    },
    async (request) => {
      const { organization } = request.caller
      const tenant = tenantOf(deps.pool, organization.orgId)
      const campaign = await getCampaign(tenant, parseId('cmp', request.params.id))
      const { wallet, branch = 'main', definition, ...body } = request.body
      const now = timeFor(request)
      const { basket, occurredAt = now } = toBasketRequest({ ...body, customer: '', card: '' }, now)
      const tried = { balances: wallet?.collectables ?? {}, transactionCount: wallet?.transactions ?? 0 }
      const sale = { ...basket, branch, occurredAt }
      const outcome = await previewCampaign(tenant, campaign, definition, organization, sale, tried, now)
      return toOutcomeReply(outcome, organization)
    },
  )
}
