import { Type } from 'typebox'
import { parseId } from '../../domain/ids.ts'
import { getCard, replaceCard, setCardBlocked } from '../../operations/change-card.ts'
import { scopeOf } from '../../store/scope.ts'
import { toCardReply } from '../replies/customer.ts'
import { Card } from '../schemas/customer.ts'
import { Id } from '../schemas/members.ts'
import type { Server, ServerOptions } from '../server.ts'
import { write } from '../write.ts'

const tags = ['Cards']
const CardPath = Type.Object({ id: Id('card') })
const NoBody = Type.Object({}, { examples: [{}] })

export function cardRoutes(app: Server, { deps }: ServerOptions): void {
  const { pool, clock } = deps

  app.get(
    '/v1/cards/:id',
    {
      config: { access: ['pos'], refusals: ['card_not_found'] },
      schema: {
        operationId: 'getCard',
        summary: 'Get a card',
        tags,
        params: CardPath,
        response: { 200: Card },
      },
    },
    async (request) => {
      const scope = scopeOf(pool, request.caller.organization.number)
      return toCardReply(await getCard(scope, parseId('card', request.params.id)))
    },
  )

  for (const [action, isBlocked] of [
    ['block', true],
    ['unblock', false],
  ] as const) {
    app.post(
      `/v1/cards/:id/${action}`,
      {
        config: { access: ['pos'], isRepeatable: true, refusals: ['card_not_found', 'card_not_active'] },
        schema: {
          operationId: `${action}Card`,
          summary: isBlocked ? 'Block a card' : 'Unblock a card',
          tags,
          params: Type.Object({ id: Id('card') }),
          body: NoBody,
          response: { 200: Card },
        },
      },
      (request, reply) =>
        write(deps, request, reply, {
          work: (scope) => setCardBlocked(scope, parseId('card', request.params.id), isBlocked, clock()),
          status: 200,
          render: toCardReply,
        }),
    )
  }

  app.post(
    '/v1/cards/:id/replace',
    {
      config: { access: ['pos'], isRepeatable: true, refusals: ['card_not_found', 'card_not_active'] },
      schema: {
        operationId: 'replaceCard',
        summary: 'Replace a card by a new one',
        description:
          'The new card has its own id and barcode; the old one gets status 3 and can no longer be used.',
        tags,
        params: CardPath,
        body: NoBody,
        response: { 201: Card },
      },
    },
    (request, reply) =>
      write(deps, request, reply, {
        work: (scope) => replaceCard(scope, parseId('card', request.params.id), clock()),
        status: 201,
        render: toCardReply,
      }),
  )
}
