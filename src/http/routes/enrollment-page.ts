/**
 * What the page asks for on which customers enroll themselves. Its name is in the path, so the organization is found
 * first, and the request then waits its turn with it. The page and these requests belong together and change
 * together: they are no part of the API.
 */
import type { FastifyRequest } from 'fastify'
import { Refused } from '../../domain/refusal.ts'
import type { Deps } from '../../operations/deps.ts'
import { enroll } from '../../operations/enrollment/enroll.ts'
import { challengeOf, findPage, type OpenPage, openPage } from '../../operations/enrollment/open-page.ts'
import { sendLostLink } from '../../operations/wallet-page/send-lost-link.ts'
import type { Server } from '../fastify-server.ts'
import { ApplicantBody, LostLinkBody, toOfferReply } from '../schemas/enrollment-page.ts'
import type { ServerOptions } from '../server-options.ts'
import { createWalletUrls } from '../wallet-urls.ts'

const config = { access: 'public', lane: 'connection' } as const

const notThere = () =>
  new Refused('_not_found', 'There is no enrollment page at this address. Ask at the till for the right one.')

/** Runs before the handler of every route under `/j/:name`. */
function readPage(deps: Deps) {
  return async (request: FastifyRequest) => {
    request.enrollment = await findPage(deps, (request.params as { name: string }).name)
    if (!request.enrollment) throw notThere()
  }
}

async function getOpen(deps: Deps, request: FastifyRequest): Promise<OpenPage> {
  const open = await openPage(deps, request.enrollment!)
  if (!open) throw notThere()
  return open
}

export function enrollmentPageRoutes(app: Server, { deps }: ServerOptions): void {
  const { clock, challenges, enrollmentLimits, log } = deps
  const onRequest = readPage(deps)
  const walletUrls = createWalletUrls(deps)

  app.get(
    '/j/:name/page',
    { config, onRequest, schema: { hide: true } as object },
    async (request, reply) => {
      const open = await getOpen(deps, request)
      const challenge = { text: challenges.create(challengeOf(open), clock()), bits: challenges.bits }
      return reply.header('x-robots-tag', 'noindex').send(toOfferReply(open, challenge))
    },
  )

  app.post(
    '/j/:name/customers',
    { config, onRequest, schema: { hide: true, body: ApplicantBody } as { body: typeof ApplicantBody } },
    async (request, reply) => {
      const open = await getOpen(deps, request)
      const { challenge, nonce, consents = {}, ...applicant } = request.body
      const told = { ...applicant, marketing: consents.marketing }
      const card = await enroll(deps, open, told, { challenge, nonce }, request.ip)
      const walletUrl = walletUrls.urlOf(open.organization, {
        id: card.id,
        walletVersion: card.walletVersion,
      })
      // Revoked since, by somebody who works there: a request that is sent again gets nothing more.
      if (!walletUrl)
        throw new Refused('invalid_proof', 'The challenge was used before. Load the page again.')
      return reply.code(201).send({ walletUrl })
    },
  )

  app.post(
    '/j/:name/link',
    { config, onRequest, schema: { hide: true, body: LostLinkBody } as { body: typeof LostLinkBody } },
    async (request, reply) => {
      const open = await getOpen(deps, request)
      const { challenge, nonce, email, phone } = request.body
      if ((email === undefined) === (phone === undefined))
        throw new Refused('_invalid_payload', 'Either email or phone must be given, and not both.')
      challenges.solved(challengeOf(open), { challenge, nonce }, clock())
      const costsSms = phone !== undefined && open.senders.includes('sms')
      await enrollmentLimits.take({ address: request.ip, shortName: open.page.shortName, costsSms })
      await enrollmentLimits.takeChallenge(challenge)
      // Nobody waits for it: how long it takes would tell whether the address is known.
      sendLostLink(deps, open.tenant, { email, phone, campaign: open.page.campaign }, clock()).catch(
        (error) => log.error({ err: error }, 'the link of a card was not sent'),
      )
      return reply.code(202).send({})
    },
  )
}
