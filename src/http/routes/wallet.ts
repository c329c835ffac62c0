/**
 * The wallet page of a card, for the customer, whose only credential is the URL itself. A URL with an invalid
 * token is refused before any query; a valid one waits its turn with the organization it belongs to.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { cardStatus } from '../../domain/customer.ts'
import { Refused } from '../../domain/refusal.ts'
import type { Deps } from '../../operations/deps.ts'
import { timeOf } from '../../operations/organizations/time-of.ts'
import { listOfferedWallets } from '../../operations/passes/pass-keys.ts'
import { openWalletOf, readWallet } from '../../operations/wallet-page/open-wallet.ts'
import { tenantOf } from '../../store/tenant.ts'
import { drawBarcode } from '../assets/barcode-svg.ts'
import { iconSvg } from '../assets/wallet-icon.ts'
import type { Server } from '../fastify-server.ts'
import { colorOf, toManifest, toWalletReply } from '../replies/wallet.ts'
import { exampleWalletToken } from '../schemas/examples.ts'
import { Manifest, Svg, WalletCard } from '../schemas/wallet.ts'
import type { ServerOptions } from '../server-options.ts'

const tags = ['Wallet page']
export const WalletPath = Type.Object({
  token: Type.String({ description: 'From the `walletUrl` of a card.', examples: [exampleWalletToken] }),
})

/** Runs before the handler of every route under `/w/:token`, including pages that are not part of the API. */
export function readWalletToken({ walletTokens }: Deps) {
  return (request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void) => {
    reply.header('x-robots-tag', 'noindex')
    request.wallet = walletTokens.read((request.params as { token: string }).token)
    done(request.wallet ? undefined : noWallet())
  }
}

export const noWallet = () =>
  new Refused('_not_found', 'There is no wallet at this address. Ask at the till for a new link.')

async function getOpen(deps: Deps, request: FastifyRequest) {
  return (await openWalletOf(deps, request.wallet!)) ?? refuse()
}

/** What a scanner reads, unless the card is blocked. */
async function getCode(deps: Deps, request: FastifyRequest): Promise<string> {
  const { card } = await getOpen(deps, request)
  if (card.status !== cardStatus.blocked) return card.barcode
  throw new Refused('_not_found', 'The card is blocked, and has no code to scan. Ask at the till.')
}

async function getCard(deps: Deps, { wallet }: FastifyRequest) {
  const page = (await readWallet(deps, wallet!)) ?? refuse()
  const passes = await listOfferedWallets(deps, tenantOf(deps.pool, wallet!.org))
  return toWalletReply(page, passes, timeOf(deps, page.organization))
}

function refuse(): never {
  throw noWallet()
}

/** The icon contains no customer data; a change of the merchant's color may take this long to show. */
const forADay = 'private, max-age=86400'

const asText = (text: unknown) => String(text)

export function walletRoutes(app: Server, { deps }: ServerOptions): void {
  const onRequest = readWalletToken(deps)
  const config = { access: 'public', lane: 'connection', refusals: ['_not_found'] } as const

  app.get(
    '/w/:token/card',
    {
      config,
      onRequest,
      schema: {
        operationId: 'getWalletCard',
        summary: "Get what the customer's wallet page shows",
        tags,
        params: WalletPath,
        response: { 200: WalletCard },
      },
    },
    (request) => getCard(deps, request),
  )

  const images = { code128: 'getWalletBarcode', qr: 'getWalletQrCode' } as const
  for (const kind of ['code128', 'qr'] as const) {
    app.get(
      `/w/:token/${kind}.svg`,
      {
        config,
        onRequest,
        schema: {
          operationId: images[kind],
          summary: `Get the barcode of the card as ${kind === 'qr' ? 'a QR code' : 'Code 128'}`,
          tags,
          params: WalletPath,
          response: { 200: Svg },
        },
      },
      async (request, reply) => {
        const image = await drawBarcode(kind, await getCode(deps, request))
        reply.header('content-type', 'image/svg+xml').serializer(asText)
        return reply.send(image)
      },
    )
  }

  app.get(
    '/w/:token/icon.svg',
    {
      config,
      onRequest,
      schema: {
        operationId: 'getWalletIcon',
        summary: 'Get the icon of the wallet page',
        tags,
        params: WalletPath,
        response: { 200: Svg },
      },
    },
    async (request, reply) => {
      // The content type is set after this, since a refusal is JSON.
      const icon = iconSvg(colorOf((await getOpen(deps, request)).organization))
      reply.header('content-type', 'image/svg+xml').header('cache-control', forADay).serializer(asText)
      return reply.send(icon)
    },
  )

  app.get(
    '/w/:token/manifest.webmanifest',
    {
      config,
      onRequest,
      schema: {
        operationId: 'getWalletManifest',
        summary: 'Get the web app manifest of the wallet page, to install it on a phone',
        tags,
        params: WalletPath,
        response: { 200: Manifest },
      },
    },
    async (request, reply) => {
      const manifest = toManifest(await getOpen(deps, request), `/w/${request.params.token}`)
      reply.header('content-type', 'application/manifest+json')
      return reply.send(manifest)
    },
  )
}
