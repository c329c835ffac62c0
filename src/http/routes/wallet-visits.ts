/** Older visits on the wallet page, and the receipt of each. */
import { Type } from 'typebox'
import { parseId } from '../../domain/ids.ts'
import { Refused } from '../../domain/refusal.ts'
import { findReceipt, listVisits } from '../../operations/wallet-page/read-visits.ts'
import type { Server } from '../fastify-server.ts'
import { toReceiptReply, toVisitReply } from '../replies/visits.ts'
import { idCursor, limitOf, PageQuery, toPage } from '../requests/paging.ts'
import { Id, PageOf } from '../schemas/fields.ts'
import { WalletReceipt, WalletVisit } from '../schemas/wallet.ts'
import type { ServerOptions } from '../server-options.ts'
import { noWallet, readWalletToken, WalletPath } from './wallet.ts'

const tags = ['Wallet page']

export function walletVisitRoutes(app: Server, { deps }: ServerOptions): void {
  const onRequest = readWalletToken(deps)
  const config = { access: 'public', lane: 'connection', refusals: ['_not_found'] } as const

  app.get(
    '/w/:token/visits',
    {
      config,
      onRequest,
      schema: {
        operationId: 'listWalletVisits',
        summary: "List the customer's visits, newest first",
        tags,
        params: WalletPath,
        querystring: Type.Object(PageQuery),
        response: { 200: PageOf(WalletVisit) },
      },
    },
    async ({ wallet, query }) => {
      const limit = limitOf(query)
      // One more than is shown tells whether there is another.
      const page = { limit: limit + 1, after: idCursor('txn', query.cursor) }
      const list = await listVisits(deps, wallet!, page)
      if (!list) throw noWallet()
      return toPage(
        list.visits,
        limit,
        ({ id }) => id,
        (visit) => toVisitReply(visit, list),
      )
    },
  )

  app.get(
    '/w/:token/visits/:id',
    {
      config,
      onRequest,
      schema: {
        operationId: 'getWalletVisit',
        summary: "Get one of the customer's visits, as its receipt shows it",
        tags,
        params: Type.Object({ ...WalletPath.properties, id: Id('txn') }),
        response: { 200: WalletReceipt },
      },
    },
    async ({ wallet, params }) => {
      const receipt = await findReceipt(deps, wallet!, parseId('txn', params.id))
      if (!receipt) throw new Refused('_not_found', 'There is no such visit of this customer.')
      return toReceiptReply(receipt)
    },
  )
}
