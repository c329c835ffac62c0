/** Pictures that Google fetches for passes, by the merchant alone: nothing in them is about a customer. */
import type { FastifyReply } from 'fastify'
import { plainColor } from '../../domain/color.ts'
import { parseId } from '../../domain/ids.ts'
import type { Organization } from '../../domain/organization.ts'
import { Refused } from '../../domain/refusal.ts'
import { drawIcon, drawStrip, mostStamps } from '../../operations/passes/draw-stamps.ts'
import { pngIn } from '../../operations/passes/issue-pass.ts'
import { findOrganization, findShownOrganization } from '../../store/organizations.ts'
import { platformTenant, tenantOf } from '../../store/tenant.ts'
import type { Server } from '../fastify-server.ts'
import type { ServerOptions } from '../server-options.ts'

const forADay = 'public, max-age=86400'
/** The side of a logo, in pixels, and how large the stamps are drawn. */
const logoSide = 660
const scale = 3

export function passPictureRoutes(app: Server, { deps }: ServerOptions): void {
  const options = {
    config: { access: 'public', lane: 'connection' } as const,
    schema: { hide: true } as object,
  }
  const { pool } = deps

  async function find(params: unknown): Promise<Organization> {
    const id = parseId('org', (params as { organization: string }).organization)
    const found = id && (await findOrganization(platformTenant(pool), id))
    if (!found?.isSubscribed) throw new Refused('_not_found')
    return found
  }

  app.get('/passes/:organization/logo.png', options, async (request, reply) => {
    const organization = await find(request.params)
    const { logo } = await findShownOrganization(tenantOf(pool, organization.orgId), organization)
    return send(reply, pngIn(logo) ?? drawIcon(organization.color ?? plainColor, logoSide))
  })

  app.get('/passes/:organization/stamps/:picture', options, async (request, reply) => {
    const { color = plainColor } = await find(request.params)
    const { picture } = request.params as { picture: string }
    const [, have, need, shown] = /^(\d{1,3})-of-(\d{1,3})-([0-9a-fA-F]{6})\.png$/.exec(picture) ?? []
    const [filled, all] = [Number(have), Number(need)]
    // Only what we draw ourselves: anything else would be work for strangers.
    const isOurs = filled <= all && (all === 100 ? filled % 5 === 0 : all >= 1 && all <= mostStamps)
    if (`#${shown}` !== color || !isOurs) throw new Refused('_not_found')
    return send(reply, drawStrip({ have: filled, need: all, color, scale }))
  })
}

/** For other sites as well, unlike everything else: Google shows them on its own pages. */
const send = (reply: FastifyReply, png: Buffer) =>
  reply
    .header('content-type', 'image/png')
    .header('cache-control', forADay)
    .header('cross-origin-resource-policy', 'cross-origin')
    .send(png)
