/** What a campaign form is built from: the engine's own schemas, and campaign templates. */
import { Type } from 'typebox'
import {
  BalanceDefinition,
  General,
  Limits,
  rewardSchemas,
  ruleFields,
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
    kind: Type.String({ description: 'The `kind` in a definition.', examples: ['points_per_amount'] }),
    title: Type.String({ description: 'What people call it.' }),
    description: Type.String({ description: 'What it does, in a sentence.' }),
    schema: JsonSchema('JSON Schema of the properties specific to this kind.'),
  },
  { ...named('RuleSchema') },
)

const rules = allRules.map((rule) => ({
  kind: rule.kind,
  title: rule.title,
  description: rule.description,
  schema: Type.Object(ruleFields(rule), {
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

/** What the schemas look like; all of them are twenty times as long. */
const outline = { type: 'object', properties: {} }
const outlines = Object.fromEntries(Object.keys(schemas).map((part) => [part, outline]))

const RuleSchemasReply = Type.Object(
  {
    rules: Type.Array(Kind, { description: 'Every rule can also have `when` and `limits`.' }),
    when: JsonSchema('When a rule runs.'),
    limits: JsonSchema('The maximum a rule gives.'),
    reward: Type.Array(Kind, { description: 'The kinds of rewards.' }),
    threshold: JsonSchema('When a coupon is granted.'),
    tier: JsonSchema('A tier.'),
    spend: JsonSchema('How points are spent.'),
    balance: JsonSchema('A balance that customers collect.'),
    campaign: JsonSchema('The other properties of a campaign.'),
  },
  {
    ...named('RuleSchemas'),
    examples: [{ ...outlines, rules: [{ ...rules.at(-1)!, schema: outline }], reward: [] }],
  },
)

export function campaignFormRoutes(app: Server): void {
  app.get(
    '/v1/rule-schemas',
    {
      config: { access: ['manage'], lane: 'none' },
      schema: {
        operationId: 'getRuleSchemas',
        summary: 'Get the schemas of campaign parts, to build a form from',
        description:
          'JSON Schema with texts for people. `x-unit`: the unit of a value, such as `money`; `x-names`: what it names, ' +
          'such as `balances`; `x-decimals`: the most decimals; `x-labels`: the labels of its choices; `x-sentence`: the ' +
          'object as a sentence, with its properties in braces.',
        tags,
        response: {
          200: RuleSchemasReply,
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
        summary: 'List campaign templates',
        description:
          "Their amounts suit the organization's currency. Send a `definition` to `POST /v1/campaigns`, unchanged " +
          'or edited.',
        tags,
        response: {
          200: Type.Array(
            Type.Object(
              {
                key: Type.String({ description: 'A short name of the template.' }),
                title: Type.String({ description: 'What people call it.' }),
                description: Type.String({ description: 'What it does, in a sentence.' }),
                definition: Type.Unsafe<object>({
                  type: 'object',
                  additionalProperties: true,
                  description: 'The body of a new campaign.',
                }),
              },
              { ...named('CampaignTemplate') },
            ),
            { examples: [campaignTemplatesIn('USD').slice(0, 1)] },
          ),
        },
      },
    },
    async (request) => campaignTemplatesIn(request.caller.organization.currency),
  )
}
