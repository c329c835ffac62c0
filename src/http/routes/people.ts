import { type Static, Type } from 'typebox'
import { parseId } from '../../domain/ids.ts'
import { type Person, toPersonReply } from '../../domain/person.ts'
import { notFound, Refused } from '../../domain/refusal.ts'
import { actorOf } from '../../operations/actor.ts'
import { emailInvitation } from '../../operations/auth/email-links.ts'
import { holdCaller } from '../../operations/auth/hold-caller.ts'
import {
  type Invitation,
  invitationUrl,
  invitePerson,
  invitePersonTo,
  patchPerson,
  removePerson,
  renewInvitation,
  signOutPerson,
} from '../../operations/auth/manage-people.ts'
import type { Deps } from '../../operations/deps.ts'
import { findOrganization } from '../../store/organizations.ts'
import { listPeople } from '../../store/people.ts'
import { platformTenant, type Tenant, tenantOf } from '../../store/tenant.ts'
import type { Server } from '../fastify-server.ts'
import { named } from '../openapi/name-components.ts'
import { listPage, PageQuery } from '../requests/paging.ts'
import { respondToWrite } from '../respond.ts'
import { Choice, Role } from '../schemas/choices.ts'
import { Id, NoBody, Nullable, Optional, PageOf } from '../schemas/fields.ts'
import {
  InvitationReply,
  InvitedPersonReply,
  PersonBody,
  PersonName,
  PersonPath,
  PersonReply,
} from '../schemas/person.ts'
import type { ServerOptions } from '../server-options.ts'

const tags = ['People']
const access = ['people'] as const
const querystring = Type.Object(PageQuery)
const ChosenStatus = Choice('ChosenPersonStatus', 'Whether a person can sign in.', {
  active: 'Can sign in.',
  blocked: 'Cannot sign in until unblocked.',
})
const alsoRevokes =
  'also revokes the active connections with a secret that this person was shown, and those made with them (`GET /v1/connections?person=…` lists them).'
const connectionsStay = 'Connections are not tied to a person and stay, unless `revokeConnections` is set.'

export function peopleRoutes(app: Server, options: ServerOptions): void {
  peopleOfOrganization(app, options)
  patchRoute(app, options)
  removeRoute(app, options)
  invitationRoutes(app, options)
  peopleAdministration(app, options)
}

type SentInvitation = Invitation & { readonly isEmailed: boolean }

const toInvitationReply = (publicUrl: string, { token, expiresAt, isEmailed }: SentInvitation) => ({
  url: invitationUrl(publicUrl, token),
  expiresAt: expiresAt.toISOString(),
  emailed: isEmailed,
})

const toInvitedReply = (
  publicUrl: string,
  { invitation, ...person }: Person & { invitation: SentInvitation },
) => ({
  ...toPersonReply(person),
  invitation: toInvitationReply(publicUrl, invitation),
})

/** Emails the link, if the organization has a mail server. */
async function emailed<P extends Person & { invitation: Invitation }>(deps: Deps, own: Tenant, person: P) {
  const isEmailed = await emailInvitation(own, deps, person.id, person.invitation, deps.clock())
  return { ...person, invitation: { ...person.invitation, isEmailed } }
}

async function toPeoplePage({ pool }: Deps, org: number, query: Static<typeof querystring>) {
  return listPage('psn', query, (page) => listPeople(tenantOf(pool, org), page), toPersonReply)
}

function peopleOfOrganization(app: Server, { deps }: ServerOptions): void {
  const { clock, credentials } = deps

  app.get(
    '/v1/people',
    {
      config: { access },
      schema: {
        operationId: 'listPeople',
        summary: 'List the people who can sign in, in the order they were added',
        tags,
        querystring,
        response: { 200: PageOf(PersonReply) },
      },
    },
    (request) => toPeoplePage(deps, request.caller.organization.orgId, request.query),
  )

  app.post(
    '/v1/people',
    {
      config: { access, hidesReply: true, refusals: ['existing_person_with_email', 'too_many_people'] },
      schema: {
        operationId: 'invitePerson',
        summary: 'Invite a person; the link is shown once',
        description:
          'Share the link yourself; if you have set up a mail server, it is emailed as well. It is valid for seven days and can be used once. An organization has at most 1,000 people.',
        tags,
        body: PersonBody,
        response: { 201: InvitedPersonReply },
      },
    },
    (request, reply) =>
      respondToWrite(deps, request, reply, {
        work: async (tenant) => {
          await holdCaller(tenant, request.caller, clock())
          return emailed(deps, tenant, await invitePerson(tenant, credentials, request.body, clock()))
        },
        status: 201,
        render: (person) => toInvitedReply(deps.publicUrl(), person),
      }),
  )
}

function patchRoute(app: Server, { deps }: ServerOptions): void {
  const { clock } = deps

  app.patch(
    '/v1/people/:id',
    {
      config: { access, refusals: ['person_not_found', 'last_owner'] },
      schema: {
        operationId: 'patchPerson',
        summary: "Change a person's name, role or status",
        description: `Takes effect with the person's next request. Blocking ends their sessions. ${connectionsStay}`,
        tags,
        params: PersonPath,
        body: Type.Object(
          {
            name: Optional(Nullable(PersonName, 'The name that colleagues see; `null` removes it.')),
            role: Optional(Role),
            status: Optional(ChosenStatus),
            revokeConnections: Optional(
              Type.Boolean({ description: `With \`status\` "blocked": ${alsoRevokes}` }),
            ),
          },
          { ...named('PersonPatch'), examples: [{ role: 'cashier' }] },
        ),
        response: { 200: PersonReply },
      },
    },
    (request, reply) => {
      const id = parseId('psn', request.params.id)
      return respondToWrite(deps, request, reply, {
        work: async (tenant) => {
          await holdCaller(tenant, request.caller, clock(), { person: id, owners: true })
          return patchPerson(tenant, id, request.body, clock(), actorOf(request.caller))
        },
        status: 200,
        render: toPersonReply,
      })
    },
  )
}

function removeRoute(app: Server, { deps }: ServerOptions): void {
  const { clock } = deps

  app.delete(
    '/v1/people/:id',
    {
      config: { access, refusals: ['person_not_found', 'last_owner'] },
      schema: {
        operationId: 'removePerson',
        summary: 'Remove a person',
        description: `Ends their sessions. What was recorded under their user is kept; the user loses its name. ${connectionsStay}`,
        tags,
        params: PersonPath,
        querystring: Type.Object({
          revokeConnections: Optional(
            Choice('RevokeConnections', 'What becomes of the connections of the person.', {
              true: `The removal ${alsoRevokes}`,
              false: 'They stay.',
            }),
          ),
        }),
        response: { 204: Type.Null() },
      },
    },
    (request, reply) => {
      const id = parseId('psn', request.params.id)
      return respondToWrite(deps, request, reply, {
        work: async (tenant) => {
          await holdCaller(tenant, request.caller, clock(), { person: id, owners: true })
          const revokeConnections = request.query.revokeConnections === 'true'
          return removePerson(tenant, id, clock(), { revokeConnections, by: actorOf(request.caller) })
        },
        status: 204,
        render: () => null,
      })
    },
  )
}

const ownInvitation =
  'This is your own account: change your password with POST /auth/password, or ask another owner or the operator for a link.'

function invitationRoutes(app: Server, { deps }: ServerOptions): void {
  app.post(
    '/v1/people/:id/invitation',
    {
      config: { access, hidesReply: true, refusals: ['person_not_found'] },
      schema: {
        operationId: 'renewInvitation',
        summary: 'Create a new link, also for a forgotten password',
        description:
          'The previous link stops working immediately; the current password and sessions end when the new link is used. ' +
          'You cannot create one for yourself: use `POST /auth/password`, which asks for the current password.',
        tags,
        params: PersonPath,
        body: NoBody,
        response: { 201: InvitationReply },
      },
    },
    (request, reply) => {
      const id = parseId('psn', request.params.id)
      // A browser left unattended must not be enough to take over the account.
      if (id && id === request.session?.person.id) throw new Refused('_forbidden', ownInvitation)
      return respondToWrite(deps, request, reply, {
        work: async (tenant) => {
          await holdCaller(tenant, request.caller, deps.clock(), { person: id })
          const invitation = await renewInvitation(tenant, deps.credentials, id, deps.clock())
          const isEmailed = await emailInvitation(tenant, deps, id!, invitation, deps.clock())
          return { ...invitation, isEmailed }
        },
        status: 201,
        render: (invitation) => toInvitationReply(deps.publicUrl(), invitation),
      })
    },
  )

  app.post(
    '/v1/people/:id/sign-out',
    {
      config: { access, isRepeatable: true, refusals: ['person_not_found'] },
      schema: {
        operationId: 'signOutPerson',
        summary: 'End all sessions of a person',
        tags,
        params: PersonPath,
        body: NoBody,
        response: { 204: Type.Null() },
      },
    },
    (request, reply) => {
      const id = parseId('psn', request.params.id)
      return respondToWrite(deps, request, reply, {
        work: async (tenant) => {
          await holdCaller(tenant, request.caller, deps.clock(), { person: id })
          return signOutPerson(tenant, id)
        },
        status: 204,
        render: () => null,
      })
    },
  )
}

function peopleAdministration(app: Server, { deps }: ServerOptions): void {
  const params = Type.Object({ id: Id('org') })

  app.post(
    '/admin/v1/organizations/:id/people',
    {
      config: {
        access: 'operator',
        hidesReply: true,
        refusals: ['organization_not_found', 'existing_person_with_email', 'too_many_people'],
      },
      schema: {
        operationId: 'invitePersonToOrganization',
        summary: 'Invite a person to an organization, such as its first owner; the link is shown once',
        tags: ['Platform'],
        params,
        body: PersonBody,
        response: { 201: InvitedPersonReply },
      },
    },
    (request, reply) => {
      const id = parseId('org', request.params.id)
      return respondToWrite(deps, request, reply, {
        work: async (tenant) => {
          const invited = await invitePersonTo(tenant, deps.credentials, id, request.body, deps.clock())
          return emailed(deps, tenant.as(invited.org), invited)
        },
        status: 201,
        orgOf: ({ org }) => org,
        render: (person) => toInvitedReply(deps.publicUrl(), person),
      })
    },
  )

  app.get(
    '/admin/v1/organizations/:id/people',
    {
      config: { access: 'operator', refusals: ['organization_not_found'] },
      schema: {
        operationId: 'listPeopleOfOrganization',
        summary: "List an organization's people",
        tags: ['Platform'],
        params,
        querystring,
        response: { 200: PageOf(PersonReply) },
      },
    },
    async (request) => {
      const id = parseId('org', request.params.id)
      const organization = id && (await findOrganization(platformTenant(deps.pool), id))
      if (!organization) throw notFound('organization_not_found')
      return toPeoplePage(deps, organization.orgId, request.query)
    },
  )
}
