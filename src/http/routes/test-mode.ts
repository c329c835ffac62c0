/** Test organizations beside a live one, and the clock in them. */
import pLimit from 'p-limit'
import { Type } from 'typebox'
import { parseId } from '../../domain/ids.ts'
import type { Organization } from '../../domain/organization.ts'
import type { Deps } from '../../operations/deps.ts'
import { timeOf } from '../../operations/organizations/time-of.ts'
import { advanceClock, readTestClock, type TestClock } from '../../operations/test-mode/advance-clock.ts'
import {
  addTestOrganization,
  type CopiedPart,
  getTestOrganizations,
  removeTestOrganization,
} from '../../operations/test-mode/test-organizations.ts'
import { tenantOf } from '../../store/tenant.ts'
import type { Server } from '../fastify-server.ts'
import { named } from '../openapi/name-components.ts'
import { respondToWrite } from '../respond.ts'
import { Choice } from '../schemas/choices.ts'
import { EventTypes } from '../schemas/events.ts'
import { exampleId, exampleSecret } from '../schemas/examples.ts'
import { CreatedAt, Id, Optional, Text, Timestamp } from '../schemas/fields.ts'
import type { ServerOptions } from '../server-options.ts'

const tags = ['Test mode']

const testExample = {
  id: exampleId('org'),
  name: 'Blue Cup, tests',
  now: '2027-04-13T09:26:53.000Z',
  createdAt: '2026-03-14T09:26:53.000Z',
}

const testFields = {
  id: Id('org'),
  name: Type.String({ description: 'Its name.' }),
  now: Timestamp('The time by its clock.'),
  createdAt: CreatedAt,
}

const TestOrganizationReply = Type.Object(testFields, {
  ...named('TestOrganization'),
  examples: [testExample],
})

const TestOrganizationList = Type.Object(
  {
    data: Type.Array(TestOrganizationReply, { description: 'At most ten, in the order of their creation.' }),
  },
  { ...named('TestOrganizationList'), examples: [{ data: [testExample] }] },
)

const NewTestOrganizationReply = Type.Object(
  {
    ...testFields,
    connection: Id('con'),
    apiKey: Type.String({ description: 'The API key of a connection with all scopes; shown once.' }),
    apiSecret: Type.String({ description: 'Its API secret; shown once.' }),
  },
  {
    ...named('TestOrganizationWithCredentials'),
    examples: [
      {
        ...testExample,
        connection: exampleId('con'),
        apiKey: `lwk_${exampleSecret}`,
        apiSecret: `lws_${exampleSecret}`,
      },
    ],
  },
)

const CopiedParts = Choice<CopiedPart>('CopiedPart', 'What is copied from the live organization.', {
  settings: 'The colors, the logo, the contact, and what tills may do.',
  campaigns: 'The published campaigns, under the same IDs.',
  branches: 'The branches.',
  products: 'The products.',
  messages: 'Which messages are sent to customers, and their texts; never what sends them.',
})

const NewTestOrganizationBody = Type.Object(
  {
    name: Text(200, { minLength: 1, description: 'A name that nobody takes for the live one.' }),
    copy: Optional(
      Type.Array(CopiedParts, { maxItems: 5, description: 'What to copy. Everything, if left out.' }),
    ),
  },
  { ...named('NewTestOrganization'), examples: [{ name: 'Blue Cup, tests' }] },
)

const clockExample = { now: '2027-04-13T09:26:53.000Z', aheadSeconds: 34_128_000 }

const clockFields = {
  now: Timestamp('The time in the test organization.'),
  aheadSeconds: Type.Number({ description: 'How far it is ahead of the real time.' }),
}

const TestClockReply = Type.Object(clockFields, { ...named('TestClock'), examples: [clockExample] })

const AdvanceBody = Type.Object(
  {
    to: Optional(Timestamp('The time to set the clock to.')),
    by: Optional(
      Text(40, {
        description: 'How far to set it forward, as an ISO 8601 duration: `P30D`, `P1M`, `PT12H`.',
        examples: ['P30D'],
      }),
    ),
  },
  { ...named('ClockAdvance'), description: 'Either `to` or `by`.', examples: [{ by: 'P30D' }] },
)

const AdvancedReply = Type.Object(
  {
    ...clockFields,
    to: Timestamp('The time that was asked for.'),
    isDone: Type.Boolean({
      description: 'False if there was too much to do for one request: send it again with the same `to`.',
    }),
    events: Type.Array(
      Type.Object({
        type: EventTypes,
        count: Type.Integer({ description: 'How many of them were recorded.' }),
      }),
      { description: 'What happened meanwhile.' },
    ),
    firstEvent: Optional(Id('evt', 'ID of the first of them.')),
    lastEvent: Optional(Id('evt', 'ID of the last of them.')),
  },
  {
    ...named('AdvancedClock'),
    examples: [
      {
        ...clockExample,
        to: clockExample.now,
        isDone: true,
        events: [{ type: 'coupon.expired', count: 2 }],
        firstEvent: exampleId('evt'),
        lastEvent: exampleId('evt'),
      },
    ],
  },
)

export function testModeRoutes(app: Server, options: ServerOptions): void {
  listRoute(app, options)
  addRoute(app, options)
  removeRoute(app, options)
  clockRoute(app, options)
  advanceRoute(app, options)
}

const toTestReply = (deps: Deps, organization: Organization) => ({
  id: organization.id,
  name: organization.name,
  now: timeOf(deps, organization).toISOString(),
  createdAt: organization.createdAt.toISOString(),
})

const toClockReply = ({ now, aheadMs }: TestClock) => ({
  now: now.toISOString(),
  aheadSeconds: aheadMs / 1000,
})

function listRoute(app: Server, { deps }: ServerOptions): void {
  app.get(
    '/v1/test-organizations',
    {
      config: { access: ['manage'], refusals: ['live_organization_required'] },
      schema: {
        operationId: 'listTestOrganizations',
        summary: 'List the test organizations',
        tags,
        response: { 200: TestOrganizationList },
      },
    },
    async ({ caller: { organization } }) => {
      const found = await getTestOrganizations(tenantOf(deps.pool, organization.orgId), organization)
      return { data: found.map((test) => toTestReply(deps, test)) }
    },
  )
}

function addRoute(app: Server, { deps }: ServerOptions): void {
  app.post(
    '/v1/test-organizations',
    {
      config: {
        access: ['manage'],
        hidesReply: true,
        refusals: ['live_organization_required', 'too_many_test_organizations'],
      },
      schema: {
        operationId: 'addTestOrganization',
        summary: 'Create a test organization; the API key and secret of its connection are shown once',
        description:
          'It has the same rules and limits as the live one, and none of its customers. Everything it sends says ' +
          '`mode`: `test`. An organization has at most ten of them.',
        tags,
        body: NewTestOrganizationBody,
        response: { 201: NewTestOrganizationReply },
      },
    },
    (request, reply) =>
      respondToWrite(deps, request, reply, {
        work: (tenant) =>
          addTestOrganization(tenant, deps.credentials, request.caller, request.body, deps.clock()),
        needsCoordinator: true,
        status: 201,
        render: ({ organization, connection, apiKey, apiSecret }) => ({
          ...toTestReply(deps, organization),
          connection: connection.id,
          apiKey,
          apiSecret,
        }),
      }),
  )
}

function removeRoute(app: Server, { deps }: ServerOptions): void {
  app.delete(
    '/v1/test-organizations/:id',
    {
      config: {
        access: ['manage'],
        refusals: ['live_organization_required', 'test_organization_not_found'],
      },
      schema: {
        operationId: 'deleteTestOrganization',
        summary: 'Delete a test organization with everything in it',
        description:
          'Its customers, sales and connections are gone at once. A live organization is never deleted.',
        tags,
        params: Type.Object({ id: Id('org') }),
        response: { 204: Type.Null({ description: 'Deleted.' }) },
      },
    },
    (request, reply) =>
      respondToWrite(deps, request, reply, {
        ...removeTestOrganization(request.caller.organization, parseId('org', request.params.id)),
        status: 204,
        render: () => null,
      }),
  )
}

function clockRoute(app: Server, { deps }: ServerOptions): void {
  app.get(
    '/v1/test-clock',
    {
      config: { access: ['manage'], refusals: ['test_organization_required'] },
      schema: {
        operationId: 'getTestClock',
        summary: 'Get the time in a test organization',
        tags,
        response: { 200: TestClockReply },
      },
    },
    async ({ caller }) => toClockReply(readTestClock(deps, caller.organization)),
  )
}

/** Each holds a connection while it uses another one. */
const advancedAtOnce = 2

function advanceRoute(app: Server, { deps }: ServerOptions): void {
  const inTurn = pLimit(advancedAtOnce)
  app.post(
    '/v1/test-clock/advance',
    {
      config: {
        access: ['manage'],
        isLong: true,
        isRepeatable: true,
        refusals: ['test_organization_required'],
      },
      schema: {
        operationId: 'advanceTestClock',
        summary: 'Set the clock of a test organization forward',
        description:
          'What is due until then happens as it would, each at its time and in its order: points and coupons expire, ' +
          'reminders are made, messages are sent. The clock only goes forward, at most five years in all.',
        tags,
        body: AdvanceBody,
        response: { 200: AdvancedReply },
      },
    },
    (request, reply) =>
      inTurn(() =>
        respondToWrite(deps, request, reply, {
          work: () => advanceClock(deps, request.caller.organization, request.body),
          status: 200,
          render: ({ to, isDone, events, firstEvent, lastEvent, ...clock }) => ({
            ...toClockReply(clock),
            to: to.toISOString(),
            isDone,
            events: [...events],
            firstEvent,
            lastEvent,
          }),
        }),
      ),
  )
}
