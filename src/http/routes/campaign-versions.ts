import { Type } from 'typebox'
import { parseId } from '../../domain/ids.ts'
import { CampaignDefinition } from '../../engine/definition/campaign-definition.ts'
import { definitionChanges } from '../../engine/definition/definition-changes.ts'
import { compareVersions } from '../../operations/campaigns/compare-versions.ts'
import { getCampaign } from '../../operations/campaigns/manage-campaigns.ts'
import { listCampaignVersions } from '../../store/campaigns.ts'
import { tenantOf } from '../../store/tenant.ts'
import type { Server } from '../fastify-server.ts'
import { named } from '../openapi/name-components.ts'
import { decodeCursor, limitOf, PageQuery, refuseCursor, toPage } from '../requests/paging.ts'
import { campaignDefinitionExample, campaignExample } from '../schemas/examples.ts'
import { Id, Optional, PageOf, Timestamp } from '../schemas/fields.ts'
import type { ServerOptions } from '../server-options.ts'
import { aboutDefinition } from './campaigns.ts'

const tags = ['Campaigns']
const CampaignPath = Type.Object({ id: Id('cmp') })
const Definition = Type.Unsafe<object>({
  ...CampaignDefinition,
  ...named('CampaignDefinition'),
  description: aboutDefinition,
})

const DefinitionChange = Type.Object(
  {
    place: Type.String({ description: 'The property of the definition.', examples: ['rules[base].points'] }),
    before: Optional(Type.Unknown({ description: 'Absent if it was added.' })),
    after: Optional(Type.Unknown({ description: 'Absent if it was removed.' })),
  },
  { ...named('DefinitionChange') },
)
const changeExample = { place: 'rules[base].points', before: 2, after: 1 }

/** The most on a page: a definition may have 256 KB, and each is compared with the one before it. */
const mostVersions = 10

const VersionNumber = (description: string) =>
  Optional(Type.Integer({ minimum: 1, maximum: 999_999_999, description }))

const CampaignChangesReply = Type.Object(
  {
    from: Type.Integer({ description: '0 if nothing has been published yet: everything is new.' }),
    to: Optional(Type.Integer({ description: 'Absent for the draft.' })),
    changes: Type.Array(DefinitionChange, { description: 'The differences.' }),
  },
  {
    ...named('CampaignChanges'),
    examples: [{ from: 2, changes: [changeExample] }],
  },
)

const CompareCampaignVersionsQuery = Type.Object({
  from: VersionNumber('Defaults to the newest published version.'),
  to: VersionNumber('Defaults to the draft.'),
})

export function campaignVersionRoutes(app: Server, { deps }: ServerOptions): void {
  const { pool } = deps

  app.get(
    '/v1/campaigns/:id/versions',
    {
      config: { access: ['manage'], refusals: ['campaign_not_found'] },
      schema: {
        operationId: 'listCampaignVersions',
        summary: 'List the published versions, newest first',
        tags,
        params: CampaignPath,
        querystring: Type.Object(PageQuery),
        response: {
          200: PageOf(
            Type.Object(
              {
                version: Type.Integer({ description: 'Counts up from 1.' }),
                publishedAt: Timestamp('When it was published.'),
                definition: Definition,
                changes: Type.Array(DefinitionChange, {
                  description: 'Differences from the previous version; empty for the first.',
                }),
              },
              {
                ...named('CampaignVersion'),
                examples: [
                  {
                    version: 3,
                    publishedAt: campaignExample.createdAt,
                    definition: campaignDefinitionExample,
                    changes: [changeExample],
                  },
                ],
              },
            ),
          ),
        },
      },
    },
    async (request) => {
      const tenant = tenantOf(pool, request.caller.organization.orgId)
      const { id } = await getCampaign(tenant, parseId('cmp', request.params.id))
      const limit = Math.min(mostVersions, limitOf(request.query))
      const before = toVersion(decodeCursor(request.query.cursor))
      // One more than shown: it tells whether there is a next page, and the oldest is compared with it.
      const rows = await listCampaignVersions(tenant, id, { limit: limit + 1, before })
      return toPage(
        rows.map((row, i) => ({ ...row, predecessor: rows[i + 1]?.definition })),
        limit,
        (row) => String(row.version),
        ({ version, publishedAt, definition, predecessor }) => ({
          version,
          publishedAt: publishedAt.toISOString(),
          definition,
          changes: predecessor ? definitionChanges(predecessor, definition) : [],
        }),
      )
    },
  )

  app.get(
    '/v1/campaigns/:id/changes',
    {
      config: { access: ['manage'], refusals: ['campaign_not_found'] },
      schema: {
        operationId: 'compareCampaignVersions',
        summary: 'Compare two versions, or see what publishing would change',
        tags,
        params: CampaignPath,
        querystring: CompareCampaignVersionsQuery,
        response: {
          200: CampaignChangesReply,
        },
      },
    },
    async (request) => {
      const tenant = tenantOf(pool, request.caller.organization.orgId)
      const campaign = await getCampaign(tenant, parseId('cmp', request.params.id))
      return compareVersions(tenant, campaign, request.query)
    },
  )
}

function toVersion(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  return /^\d{1,9}$/.test(text) ? Number(text) : refuseCursor()
}
