/**
 * The passes that a customer takes along from the wallet page. Like the page itself they are links for a phone, and
 * not part of the API.
 */
import { Refused } from '../../domain/refusal.ts'
import { pkpassType } from '../../operations/passes/apple-pass.ts'
import { issueApplePass } from '../../operations/passes/issue-pass.ts'
import { createSaveLink } from '../../operations/passes/save-link.ts'
import type { Server } from '../fastify-server.ts'
import type { ServerOptions } from '../server-options.ts'
import { readWalletToken } from './wallet.ts'

const noPass = () =>
  new Refused('_not_found', 'There is no such pass of this card. Its wallet page shows the same.')

export function walletPassRoutes(app: Server, { deps }: ServerOptions): void {
  const options = {
    config: { access: 'public', lane: 'connection' } as const,
    onRequest: readWalletToken(deps),
    schema: { hide: true } as object,
  }

  app.get('/w/:token/pass.pkpass', options, async (request, reply) => {
    const pass = await issueApplePass(deps, request.wallet!)
    if (!pass) throw noPass()
    reply.header('content-disposition', 'attachment; filename="card.pkpass"')
    return reply.header('content-type', pkpassType).send(pass)
  })

  app.get('/w/:token/google-pass', options, async (request, reply) => {
    const link = await createSaveLink(deps, request.wallet!)
    if (link === undefined) throw noPass()
    return reply.redirect(link)
  })
}
