import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { parseId } from '../../domain/ids.ts'
import {
  getCard,
  renewWallet,
  replaceCard,
  revokeWallet,
  setCardBlocked,
} from '../../operations/customers/change-card.ts'
import { unblockCard } from '../../operations/enrollment/approve-card.ts'
import { showWallet } from '../../operations/wallet-page/show-wallet.ts'
import { tenantOf } from '../../store/tenant.ts'
import { type BarcodeKind, barcodeKinds, drawBarcode } from '../assets/barcode-svg.ts'
import type { Server } from '../fastify-server.ts'
import { toCardReply } from '../replies/customer.ts'
import { nowOf } from '../requests/now-of.ts'
import { respondToWrite } from '../respond.ts'
import { Card } from '../schemas/customer.ts'
import { Id, NoBody, Optional } from '../schemas/fields.ts'
import { Svg } from '../schemas/wallet.ts'
import type { ServerOptions } from '../server-options.ts'
import { createWalletUrls } from '../wallet-urls.ts'

const tags = ['Cards']
const CardPath = Type.Object({ id: Id('card') })

const GetCardBarcodeQuery = Type.Object({
  kind: Optional(
    Type.String({ enum: barcodeKinds, description: 'The kind of barcode. Defaults to code128.' }),
  ),
})

type CardReply = ReturnType<typeof toCardReply>

export function cardRoutes(app: Server, { deps }: ServerOptions): void {
  const { pool } = deps
  const walletUrls = createWalletUrls(deps)
  const withUrl = (request: FastifyRequest) => (card: CardReply) => walletUrls.ofCard(request.caller, card)

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
      const tenant = tenantOf(pool, request.caller.organization.orgId)
      return withUrl(request)(toCardReply(await getCard(tenant, parseId('card', request.params.id))))
    },
  )

  blockRoutes(app, deps)

  app.post(
    '/v1/cards/:id/replace',
    {
      config: { access: ['pos'], isRepeatable: true, refusals: ['card_not_found', 'card_not_active'] },
      schema: {
        operationId: 'replaceCard',
        summary: 'Replace a card with a new one',
        description:
          'The new card has its own id and barcode; the old one gets status 3 and can no longer be used.',
        tags,
        params: CardPath,
        body: NoBody,
        response: { 201: Card },
      },
    },
    (request, reply) =>
      respondToWrite(deps, request, reply, {
        work: (tenant) => replaceCard(tenant, parseId('card', request.params.id), nowOf(deps, request)),
        status: 201,
        render: toCardReply,
        finish: withUrl(request),
      }),
  )

  walletUrlRoutes(app, deps)
  barcodeRoute(app, deps)
}

function blockRoutes(app: Server, deps: ServerOptions['deps']): void {
  const walletUrls = createWalletUrls(deps)

  for (const [action, isBlocked] of [
    ['block', true],
    ['unblock', false],
  ] as const) {
    app.post(
      `/v1/cards/:id/${action}`,
      {
        config: {
          access: ['pos'],
          isRepeatable: true,
          isAuditedForPeople: true,
          refusals: ['card_not_found', 'card_not_active'],
        },
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
        respondToWrite(deps, request, reply, {
          work: (tenant) => {
            const id = parseId('card', request.params.id)
            return isBlocked
              ? setCardBlocked(tenant, id, true, request.caller, nowOf(deps, request))
              : unblockCard(tenant, deps.seal, id, request.caller, nowOf(deps, request))
          },
          status: 200,
          render: toCardReply,
          finish: (card: CardReply) => walletUrls.ofCard(request.caller, card),
        }),
    )
  }
}

function walletUrlRoutes(app: Server, deps: ServerOptions['deps']): void {
  const walletUrls = createWalletUrls(deps)

  for (const action of ['revoke', 'renew'] as const) {
    app.post(
      `/v1/cards/:id/wallet/${action}`,
      {
        config: { access: ['manage'], isRepeatable: true, refusals: ['card_not_found', 'card_not_active'] },
        schema: {
          operationId: `${action}Wallet`,
          summary:
            action === 'renew'
              ? "Give a card's wallet page a new URL"
              : "Revoke the URL of a card's wallet page",
          description: 'The old URL, and those of the cards it replaced, stop working.',
          tags,
          params: Type.Object({ id: Id('card') }),
          body: NoBody,
          response: { 200: Card },
        },
      },
      (request, reply) => {
        const change = action === 'renew' ? renewWallet : revokeWallet
        return respondToWrite(deps, request, reply, {
          work: (tenant) =>
            change(tenant, parseId('card', request.params.id), request.caller, nowOf(deps, request)),
          status: 200,
          render: toCardReply,
          finish: (card: CardReply) => walletUrls.ofCard(request.caller, card),
        })
      },
    )
  }

  showRoute(app, deps)
}

function showRoute(app: Server, deps: ServerOptions['deps']): void {
  const walletUrls = createWalletUrls(deps)
  app.post(
    '/v1/cards/:id/wallet/show',
    {
      config: {
        access: ['pos'],
        isRepeatable: true,
        isAuditedForPeople: true,
        refusals: ['card_not_found', 'customer_not_active', 'card_not_active', 'wallet_revoked'],
      },
      schema: {
        operationId: 'showWallet',
        summary: "Get the URL of a card's wallet page, to show it to the customer",
        description:
          'For a QR code on the screen or on paper. If a person asks, the audit log says who and for which card.',
        tags,
        params: CardPath,
        body: NoBody,
        response: { 200: Card },
      },
    },
    async (request, reply) => {
      const { caller } = request
      const id = parseId('card', request.params.id)
      const { customer } = await getCard(tenantOf(deps.pool, caller.organization.orgId), id)
      // The page shows the first name and the balances.
      await deps.profileReads.count(request, customer)
      return respondToWrite(deps, request, reply, {
        work: async (tenant) => showWallet(tenant, await getCard(tenant, id)),
        status: 200,
        render: toCardReply,
        finish: (card: CardReply) => ({
          ...walletUrls.ofCard(caller, card),
          walletUrl: walletUrls.urlOf(caller.organization, card),
        }),
      })
    },
  )
}

function barcodeRoute(app: Server, { pool }: ServerOptions['deps']): void {
  app.get(
    '/v1/cards/:id/barcode.svg',
    {
      config: { access: ['pos'], refusals: ['card_not_found'] },
      schema: {
        operationId: 'getCardBarcode',
        summary: 'Get the barcode of a card as an image',
        tags,
        params: CardPath,
        querystring: GetCardBarcodeQuery,
        response: { 200: Svg },
      },
    },
    async (request, reply) => {
      const tenant = tenantOf(pool, request.caller.organization.orgId)
      const { barcode } = await getCard(tenant, parseId('card', request.params.id))
      const kind = (request.query.kind ?? 'code128') as BarcodeKind
      const image = await drawBarcode(kind, barcode)
      reply.header('content-type', 'image/svg+xml').serializer((text: unknown) => String(text))
      return reply.send(image)
    },
  )
}
