/** What a form for campaigns is drawn from: the engine's own schemas, and campaigns to begin with. */
import { Type } from 'typebox'
import {
  BalanceDefinition,
  General,
  Limits,
  rewardSchemas,
  ruleMembers,
  Spend,
  Threshold,
  Tier,
  When,
} from '../../engine/definition/campaign-definition.ts'
import { allRules } from '../../engine/rules/all-rules.ts'
import { campaignTemplatesIn } from '../../operations/campaigns/campaign-templates.ts'
import type { Server } from '../fastify-server.ts'
import { named } from '../openapi/name-components.ts'

const tags = ['Campaigns']

const JsonSchema = (description: string) =>
  Type.Unsafe<object>({
    type: 'object',
    additionalProperties: true,
    description,
    examples: [{ type: 'object', properties: { at: { type: 'number', title: 'At' } } }],
  })

const Kind = Type.Object(
  {
    kind: Type.String({ examples: ['points_per_amount'] }),
    title: Type.String(),
    description: Type.String(),
    schema: JsonSchema('JSON Schema of what is particular to the kind.'),
  },
  named('RuleSchema'),
)

const rules = allRules.map((rule) => ({
  kind: rule.kind,
  title: rule.title,
  description: rule.description,
  schema: Type.Object(ruleMembers(rule), {
    additionalProperties: false,
    'x-sentence': rule.sentence,
  }) as object,
}))

const rewards = Object.entries(rewardSchemas).map(([kind, schema]) => {
  const { title, description } = schema as { title?: string; description?: string }
  return { kind, title: title!, description: description!, schema: schema as object }
})

const schemas = {
  rules,
  when: When as object,
  limits: Limits as object,
  reward: rewards,
  threshold: Threshold as object,
  tier: Tier as object,
  spend: Spend as object,
  balance: BalanceDefinition as object,
  campaign: General as object,
}

export function campaignFormRoutes(app: Server): void {
  app.get(
    '/v1/rule-schemas',
    {
      config: { access: ['manage'], lane: 'none' },
      schema: {
        operationId: 'getRuleSchemas',
        summary: 'Get the schemas that campaigns are made of, to draw a form from',
        description:
          'JSON Schema with titles and descriptions for people. `x-unit` says what a value counts in (`balance`, ' +
          '`money`, `percent`, `share` of one, `time`, `time of day`, `duration`), `x-names` what its values are names of (`balances`, ' +
          '`rewards`, `tiers`, `products`, `categories`, `branches`, `campaigns`), `x-decimals` how many decimals ' +
          'it may have, `x-labels` how its choices, or yes and no, are called, and `x-sentence` what an object says, ' +
          'with its members in braces.',
        tags,
        response: {
          200: Type.Object(
            {
              rules: Type.Array(Kind, { description: 'A rule also has `when` and `limits`.' }),
              when: JsonSchema('When a rule runs.'),
              limits: JsonSchema('The most a rule gives.'),
              reward: Type.Array(Kind),
              threshold: JsonSchema('What grants a coupon.'),
              tier: JsonSchema('A level.'),
              spend: JsonSchema('How points are spent.'),
              balance: JsonSchema('What is collected.'),
              campaign: JsonSchema('The members of a campaign besides these.'),
            },
            {
              ...named('RuleSchemas'),
              examples: [{ ...schemas, rules: rules.slice(-1), reward: rewards.slice(0, 1) }],
            },
          ),
        },
      },
    },
    async () => schemas,
  )

  app.get(
    '/v1/campaign-templates',
    {
      config: { access: ['manage'], lane: 'none' },
      schema: {
        operationId: 'listCampaignTemplates',
        summary: 'List campaigns to begin with',
        description:
          'Their amounts fit the currency of the organization. Send a `definition` to `POST /v1/campaigns`, as it is ' +
          'or changed.',
        tags,
        response: {
          200: Type.Array(
            Type.Object(
              {
                key: Type.String(),
                title: Type.String(),
                description: Type.String(),
                definition: Type.Unsafe<object>({
                  type: 'object',
                  additionalProperties: true,
                  description: 'The body of a new campaign.',
                }),
              },
              named('CampaignTemplate'),
            ),
            { examples: [campaignTemplatesIn('USD').slice(0, 1)] },
          ),
        },
      },
    },
    async (request) => campaignTemplatesIn(request.caller.organization.currency),
  )
}
