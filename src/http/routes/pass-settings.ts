/** The keys that passes for the wallets of phones are signed with, and what is wrong with them. */
import { patchPassSettings, readPassKeys } from '../../operations/passes/pass-keys.ts'
import { tenantOf } from '../../store/tenant.ts'
import type { Server } from '../fastify-server.ts'
import { respondToWrite } from '../respond.ts'
import { PatchWalletPasses, toWalletPassesReply, WalletPassesReply } from '../schemas/wallet-passes.ts'
import type { ServerOptions } from '../server-options.ts'

const tags = ['Organization']

export function passSettingsRoutes(app: Server, { deps }: ServerOptions): void {
  app.get(
    '/v1/wallet-passes',
    {
      config: { access: ['manage'] },
      schema: {
        operationId: 'getWalletPasses',
        summary: 'Check the keys for passes in Apple Wallet and Google Wallet',
        description:
          'Without keys that can be used, the wallet page does not offer passes. Look here before they expire.',
        tags,
        response: { 200: WalletPassesReply },
      },
    },
    async ({ caller }) =>
      toWalletPassesReply(await readPassKeys(deps, tenantOf(deps.pool, caller.organization.orgId))),
  )

  app.patch(
    '/v1/wallet-passes',
    {
      config: { access: ['manage'] },
      schema: {
        operationId: 'patchWalletPasses',
        summary: 'Set the keys for passes in Apple Wallet and Google Wallet',
        description:
          'Keys that a pass cannot be signed with are refused, and `description` says everything that is wrong with them.',
        tags,
        body: PatchWalletPasses,
        response: { 200: WalletPassesReply },
      },
    },
    (request, reply) => {
      const { barcode: firstCode, ...keys } = request.body
      return respondToWrite(deps, request, reply, {
        work: (tenant) => patchPassSettings(deps, tenant, { ...keys, firstCode }),
        status: 200,
        render: toWalletPassesReply,
      })
    },
  )
}
