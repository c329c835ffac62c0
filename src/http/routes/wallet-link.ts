/**
 * What a wallet page offers whose link is no longer valid: a new link, sent to the address on file. Only for a token
 * that we once made; everybody else asks at the till.
 */
import { Refused } from '../../domain/refusal.ts'
import { findLostPage, type LostLink, replaceLink } from '../../operations/wallet-page/send-lost-link.ts'
import type { Server } from '../fastify-server.ts'
import { colorOf } from '../replies/wallet.ts'
import { Accepted } from '../schemas/fields.ts'
import { LostLinkBody, LostWallet } from '../schemas/wallet.ts'
import type { ServerOptions } from '../server-options.ts'
import { noWallet, readWalletToken, WalletPath } from './wallet.ts'

const tags = ['Wallet page']

export function walletLinkRoutes(app: Server, { deps }: ServerOptions): void {
  const onRequest = readWalletToken(deps)
  const config = { access: 'public', lane: 'connection', refusals: ['_not_found'] } as const

  app.get(
    '/w/:token/link',
    {
      config,
      onRequest,
      schema: {
        operationId: 'getLostWallet',
        summary: 'Get whose card a link was for, and how a new one can be sent',
        tags,
        params: WalletPath,
        response: { 200: LostWallet },
      },
    },
    async ({ wallet }) => {
      const lost = await findLostPage(deps, wallet!)
      if (!lost) throw noWallet()
      const { name, logo, locale } = lost.organization
      return {
        organization: { name, color: colorOf(lost.organization), logo, locale },
        channels: [...lost.channels],
      }
    },
  )

  app.post(
    '/w/:token/link',
    {
      config,
      onRequest,
      schema: {
        operationId: 'replaceLostLink',
        summary: 'Ask for the link of a card that was lost',
        description:
          'Sent to the address on file, if it is known and the organization has a sender; the response is always the same. ' +
          'At most once a minute and five times an hour.',
        tags,
        params: WalletPath,
        body: LostLinkBody,
        response: { 202: Accepted },
      },
    },
    ({ wallet, body }, reply) => {
      checkLostLink(body)
      // Nobody waits for it: how long it takes would tell whether the address is known.
      replaceLink(deps, wallet!, body).catch((error) =>
        deps.log.error({ err: error }, 'the link of a card was not sent'),
      )
      return reply.code(202).send({})
    },
  )
}

export function checkLostLink({ email, phone }: LostLink): void {
  if ((email === undefined) === (phone === undefined))
    throw new Refused('_invalid_payload', 'Send either `email` or `phone`.')
}
