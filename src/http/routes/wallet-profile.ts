/**
 * What customers do about themselves on the wallet page. Every step needs a code that was sent to a person, so that no
 * program can use these requests: like the passes they belong to the page, and are not part of the API.
 */
import type { FastifyRequest } from 'fastify'
import type { Language } from '../../domain/language.ts'
import { maskAddress } from '../../domain/mask-address.ts'
import { Refused } from '../../domain/refusal.ts'
import type { Deps } from '../../operations/deps.ts'
import {
  changeOwnProfile,
  confirmOwnContact,
  downloadOwnData,
  eraseOwnData,
  openSession,
  readOwnProfile,
  sendContactCode,
  sendOwnCode,
} from '../../operations/wallet-page/own-profile.ts'
import type { Server } from '../fastify-server.ts'
import { toConsentsReply } from '../replies/customer.ts'
import { sendExport } from '../replies/customer-export.ts'
import { formats } from '../schemas/formats.ts'
import { CodeBody, CodeRequestBody, OwnProfileBody } from '../schemas/wallet-profile.ts'
import type { ServerOptions } from '../server-options.ts'
import { createWalletUrls } from '../wallet-urls.ts'
import { readWalletToken } from './wallet.ts'

export function walletProfileRoutes(app: Server, { deps }: ServerOptions): void {
  const options = {
    config: { access: 'public', lane: 'connection' } as const,
    onRequest: readWalletToken(deps),
  }
  codeRoutes(app, deps, options)
  profileRoutes(app, deps, options)
  dataRoutes(app, deps, options)
}

interface Options {
  readonly config: { readonly access: 'public'; readonly lane: 'connection' }
  readonly onRequest: ReturnType<typeof readWalletToken>
}

const hide = true

const sessionOf = ({ headers }: FastifyRequest): string | undefined =>
  /^Bearer +(\S+) *$/i.exec(headers.authorization ?? '')?.[1]

/** People copy spaces along. */
const codeOf = <C extends string>({ channel, code }: { channel: C; code: string }) => ({
  channel,
  code: code.replace(/\s/g, ''),
})

function codeRoutes(app: Server, deps: Deps, options: Options): void {
  app.post(
    '/w/:token/codes',
    { ...options, schema: { hide, body: CodeRequestBody } },
    async (request, reply) => {
      const { purpose, channel, address } = request.body
      if (purpose !== 'contact' && address !== undefined)
        throw new Refused('_invalid_payload', 'address: only for the purpose `contact`.')
      if (channel === 'email' && address !== undefined && !formats['customer-email'].test(address))
        throw new Refused('_invalid_payload', 'address: must be an email address.')
      const sent =
        purpose === 'contact'
          ? await sendContactCode(deps, request.wallet!, { channel, address }, sessionOf(request))
          : await sendOwnCode(deps, request.wallet!, { channel, purpose })
      return reply.code(202).send({
        channel,
        address: maskAddress(channel, sent.address),
        expiresAt: sent.expiresAt.toISOString(),
      })
    },
  )

  app.post('/w/:token/sessions', { ...options, schema: { hide, body: CodeBody } }, async (request, reply) => {
    const { token, session } = await openSession(deps, request.wallet!, codeOf(request.body))
    return reply.code(201).send({ session: token, expiresAt: session.expiresAt.toISOString() })
  })

  const { urlOf } = createWalletUrls(deps)
  app.post(
    '/w/:token/contacts/confirm',
    { ...options, schema: { hide, body: CodeBody } },
    async (request) => {
      const { isAttached, card } = await confirmOwnContact(deps, request.wallet!, codeOf(request.body))
      return { isAttached, walletUrl: card && urlOf({ orgId: request.wallet!.org }, card) }
    },
  )
}

function profileRoutes(app: Server, deps: Deps, options: Options): void {
  const toReply = async (request: FastifyRequest) => {
    const { customer, channels, contacts, unconfirmed, session, words } = await readOwnProfile(
      deps,
      request.wallet!,
      sessionOf(request),
    )
    return {
      fullname: customer.fullname,
      language: customer.language,
      channels,
      contacts,
      unconfirmed,
      consents: toConsentsReply(customer) ?? { history: [] },
      consentWords: words,
      expiresAt: session.expiresAt.toISOString(),
    }
  }

  app.get('/w/:token/profile', { ...options, schema: { hide } }, (request) => toReply(request))

  app.patch('/w/:token/profile', { ...options, schema: { hide, body: OwnProfileBody } }, async (request) => {
    const { fullname, language, consents, shownIn } = request.body
    await changeOwnProfile(deps, request.wallet!, sessionOf(request), {
      fullname,
      language: language as Language | undefined,
      consents,
      shownIn: shownIn as Language | undefined,
    })
    return toReply(request)
  })
}

function dataRoutes(app: Server, deps: Deps, options: Options): void {
  app.post('/w/:token/download', { ...options, schema: { hide, body: CodeBody } }, async (request, reply) => {
    const kept = await downloadOwnData(deps, request.wallet!, codeOf(request.body))
    const { organization } = kept
    const asking = { kind: 'connection', scopes: ['manage'], organization } as const
    reply.header('content-disposition', 'attachment; filename="my-data.json"')
    return sendExport(deps, reply, asking, kept)
  })

  app.post('/w/:token/erase', { ...options, schema: { hide, body: CodeBody } }, async (request, reply) => {
    await eraseOwnData(deps, request.wallet!, codeOf(request.body))
    return reply.code(204).send()
  })
}
