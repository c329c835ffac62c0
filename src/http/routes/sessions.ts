import { Type } from 'typebox'
import { parseId } from '../../domain/ids.ts'
import { modeOf } from '../../domain/organization.ts'
import { emailPasswordReset } from '../../operations/auth/email-links.ts'
import {
  acceptInvitation,
  changePassword,
  expiryOf,
  scopesIn,
  signIn,
  signOut,
  signOutEverywhere,
} from '../../operations/auth/person-sessions.ts'
import type { Deps } from '../../operations/deps.ts'
import { enterVisited, visit } from '../../operations/test-mode/visit.ts'
import { findOwnOrganization, findShownOrganization } from '../../store/organizations.ts'
import type { PersonSession } from '../../store/person-sessions.ts'
import { tenantOf } from '../../store/tenant.ts'
import type { Server } from '../fastify-server.ts'
import { named } from '../openapi/name-components.ts'
import {
  clearSession,
  deviceMarks,
  refuseOtherSites,
  type Site,
  sessionToken,
  setSession,
  siteOf,
} from '../plugins/session-cookie.ts'
import { exampleId, invitationTokenExample } from '../schemas/examples.ts'
import { Accepted, Id, Optional, Text } from '../schemas/fields.ts'
import { Email, GivenPassword, NewPassword, PersonName, SessionReply } from '../schemas/person.ts'
import type { ServerOptions } from '../server-options.ts'

const tags = ['Sessions']
const password = 'correct horse battery'
/** Password hashing has its own queue, with fewer slots than the database. */
const lane = 'none'

const CredentialsBody = Type.Object(
  { email: Email, password: GivenPassword },
  { ...named('Credentials'), examples: [{ email: 'grace@example.com', password }] },
)

const InvitationAcceptanceBody = Type.Object(
  {
    token: Text(200, { minLength: 1, description: 'The part of the link after the #.' }),
    name: Optional(PersonName),
    password: NewPassword,
  },
  {
    ...named('InvitationAcceptance'),
    examples: [{ token: invitationTokenExample, name: 'Grace Hopper', password }],
  },
)

const ForgottenBody = Type.Object(
  { email: Email },
  { ...named('ForgottenPassword'), examples: [{ email: 'grace@example.com' }] },
)

const PasswordChangeBody = Type.Object(
  { currentPassword: GivenPassword, password: NewPassword },
  {
    ...named('PasswordChange'),
    examples: [{ currentPassword: password, password: `${password} staple` }],
  },
)

const VisitBody = Type.Object(
  { organization: Id('org', 'A test organization of the own one, or the own one to go back.') },
  { ...named('Visit'), examples: [{ organization: exampleId('org') }] },
)

export function sessionRoutes(app: Server, options: ServerOptions): void {
  const site = siteOf(options)
  signInRoutes(app, options, site)
  forgottenRoute(app, options, site)
  ownSessionRoutes(app, options, site)
  visitRoute(app, options)
}

async function toSessionReply({ pool, clock }: Deps, session: PersonSession) {
  const { person, user, branch } = session
  const organization = await findShownOrganization(
    tenantOf(pool, session.organization.orgId),
    session.organization,
  )
  const { id, name, country, currency, timezone, locale, color, logo, isDemo, contact } = organization
  const { consentText } = contact
  const isVisit = session.organization.orgId !== session.homeOrg
  const home = isVisit ? await findOwnOrganization(tenantOf(pool, session.homeOrg)) : undefined
  return {
    person,
    organization: {
      ...{ id, name, country, currency, timezone, locale, color, logo, isDemo, consentText },
      mode: modeOf(organization),
      aheadSeconds: organization.aheadMs / 1000,
    },
    liveOrganization: home && { id: home.id, name: home.name },
    scopes: [...scopesIn(session)],
    user,
    branch,
    expiresAt: expiryOf(session, clock()).toISOString(),
  }
}

function signInRoutes(app: Server, { deps }: ServerOptions, site: Site): void {
  app.post(
    '/auth/invitation',
    {
      config: {
        access: 'public',
        lane,
        refusals: ['invalid_invitation', 'weak_password', 'invalid_subscription', '_forbidden'],
      },
      schema: {
        operationId: 'acceptInvitation',
        summary: 'Accept an invitation: choose a password and sign in',
        description:
          'Uses up the link. If it was made for a forgotten password, it also ends the sessions opened with that password.',
        tags,
        body: InvitationAcceptanceBody,
        response: { 200: SessionReply },
      },
    },
    async (request, reply) => {
      refuseOtherSites(request, site)
      const device = deviceMarks(request.headers.cookie, site)
      const opened = await acceptInvitation(deps, request.body, { address: request.ip, device })
      setSession(reply, opened, site)
      return toSessionReply(deps, opened.session)
    },
  )

  app.post(
    '/auth/session',
    {
      config: {
        access: 'public',
        lane,
        refusals: ['_invalid_credentials', 'invalid_subscription', '_forbidden'],
      },
      schema: {
        operationId: 'signIn',
        summary: 'Sign in with an email address and a password',
        description:
          'Sets the cookie `lw_session`, over HTTPS `__Host-lw_session`. A second cookie, `lw_device`, gives the browser its own limit for wrong passwords.',
        tags,
        body: CredentialsBody,
        response: { 200: SessionReply },
      },
    },
    async (request, reply) => {
      refuseOtherSites(request, site)
      const device = deviceMarks(request.headers.cookie, site)
      const opened = await signIn(deps, request.body, { address: request.ip, device })
      setSession(reply, opened, site)
      return toSessionReply(deps, opened.session)
    },
  )
}

function forgottenRoute(app: Server, { deps }: ServerOptions, site: Site): void {
  app.post(
    '/auth/forgotten-password',
    {
      config: { access: 'public', refusals: ['_forbidden'] },
      schema: {
        operationId: 'resetPassword',
        summary: 'Ask for a link to choose a new password',
        description:
          'Sent by email, if the address is known and the organization has a mail server; the response is always the same. ' +
          'The link is valid for one hour, and the password stays until it is used.',
        tags,
        body: ForgottenBody,
        response: { 202: Accepted },
      },
    },
    (request, reply) => {
      refuseOtherSites(request, site)
      // Nobody waits for it: how long it takes would tell whether the address is known.
      emailPasswordReset(deps, request.body.email).catch((error) =>
        deps.log.error({ err: error }, 'a link for a forgotten password was not sent'),
      )
      return reply.code(202).send({})
    },
  )
}

function ownSessionRoutes(app: Server, { deps }: ServerOptions, site: Site): void {
  app.get(
    '/auth/session',
    {
      config: { access: 'session' },
      schema: {
        operationId: 'getSession',
        summary: 'Get the session: the person, the organization and the scopes',
        tags,
        response: { 200: SessionReply },
      },
    },
    (request) => toSessionReply(deps, request.session),
  )

  app.delete(
    '/auth/session',
    {
      config: { access: 'public', lane: 'connection', refusals: ['_forbidden'] },
      schema: {
        operationId: 'signOut',
        summary: 'Sign out; succeeds without a session, too',
        tags,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      const token = sessionToken(request.headers.cookie, site)
      if (token !== undefined) {
        refuseOtherSites(request, site)
        await signOut(deps, token)
      }
      clearSession(reply, site)
      return reply.code(204).send(null)
    },
  )

  app.delete(
    '/auth/sessions',
    {
      config: { access: 'session' },
      schema: {
        operationId: 'signOutEverywhere',
        summary: 'Sign out everywhere',
        tags,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      await signOutEverywhere(deps, request.session)
      clearSession(reply, site)
      return reply.code(204).send(null)
    },
  )

  app.post(
    '/auth/password',
    {
      config: { access: 'session', lane, refusals: ['_invalid_credentials', 'weak_password'] },
      schema: {
        operationId: 'changePassword',
        summary: 'Change the password; all other sessions of the person end',
        tags,
        body: PasswordChangeBody,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      await changePassword(deps, request.session, request.body, request.ip)
      return reply.code(204).send(null)
    },
  )
}

function visitRoute(app: Server, { deps }: ServerOptions): void {
  app.post(
    '/auth/session/organization',
    {
      config: { access: 'session', refusals: ['_forbidden', 'test_organization_not_found'] },
      schema: {
        operationId: 'visitOrganization',
        summary: 'Go to a test organization with the same session, or back',
        description:
          'For owners and managers. What they do there is recorded in the test organization, under their name. It ' +
          'lasts until they go back or sign out.',
        tags,
        body: VisitBody,
        response: { 200: SessionReply },
      },
    },
    async (request) => {
      const visiting = await visit(deps, request.session, parseId('org', request.body.organization))
      const { homeOrg: org } = visiting
      const organization = await findOwnOrganization(tenantOf(deps.pool, org))
      return toSessionReply(deps, await enterVisited(deps, { ...visiting, organization: organization! }))
    },
  )
}
