import { Type } from 'typebox'
import { parseId } from '../../domain/ids.ts'
import {
  previewReturn,
  type ReturnRequest,
  returnTransaction,
} from '../../operations/baskets/return-transaction.ts'
import { fingerprintOf } from '../../operations/fingerprint.ts'
import type { Server } from '../fastify-server.ts'
import { toReturnPreviewReply, toReturnReply } from '../replies/return.ts'
import { meaningOf } from '../requests/body-meaning.ts'
import { respondToChange } from '../respond.ts'
import { Id } from '../schemas/fields.ts'
import { Return, ReturnBody, ReturnPreview } from '../schemas/return.ts'
import type { ServerOptions } from '../server-options.ts'

const tags = ['Transactions']
const params = Type.Object({ id: Id('txn') })

const previewDescription =
  'Takes the same body as a return and shows what it would refund, take back and restore. Your number for the ' +
  'return is not checked.'

const returnDescription =
  'Recalculates the sale without the returned items, under the rules it was processed with, and books the ' +
  'difference. What the customer holds afterwards depends on what was kept and used, never on the order of the ' +
  'returns.'

const returnRefusals = [
  'transaction_not_found',
  'transaction_archived',
  'customer_not_found',
  'return_exceeds_sale',
  'insufficient_points',
] as const

function toReturnRequest(id: string, body: ReturnBody): ReturnRequest {
  const { opaqueId, items, amount, reason } = body
  const transaction = parseId('txn', id)
  const meaning = meaningOf(ReturnBody, body)
  const fingerprint = fingerprintOf({ transaction, body: meaning }, { transaction, body })
  return { transaction, opaqueId, items, amount, reason, fingerprint }
}

export function returnRoutes(app: Server, { deps }: ServerOptions): void {
  app.post(
    '/v1/transactions/:id/return/validate',
    {
      config: { access: ['pos'], readsSetup: true, refusals: returnRefusals },
      schema: {
        operationId: 'validateReturn',
        summary: 'Preview a return without committing anything',
        description: previewDescription,
        tags,
        params,
        body: ReturnBody,
        response: { 200: ReturnPreview },
      },
    },
    async (request) => {
      const { organization } = request.caller
      const preview = await previewReturn(
        deps,
        request.caller,
        toReturnRequest(request.params.id, request.body),
      )
      return toReturnPreviewReply(preview, organization)
    },
  )

  app.post(
    '/v1/transactions/:id/return',
    {
      config: {
        access: ['pos'],
        readsSetup: true,
        isRepeatable: true,
        refusals: [...returnRefusals, 'transaction_already_exists'],
      },
      schema: {
        operationId: 'returnTransaction',
        summary: 'Return a sale, in full, by item or by amount',
        description: returnDescription,
        tags,
        params,
        body: ReturnBody,
        response: { 201: Return },
      },
    },
    (request, reply) => {
      const { organization } = request.caller
      const change = returnTransaction(deps, request.caller, toReturnRequest(request.params.id, request.body))
      return respondToChange(deps, request, reply, change, {
        status: 201,
        render: ({ done, isReplay }) => {
          if (isReplay) reply.header('idempotent-replayed', 'true')
          return toReturnReply(done, organization)
        },
        customerOf: ({ customer }) => customer,
      })
    },
  )
}
