import { Type } from 'typebox'
import { parseId } from '../../domain/ids.ts'
import { startBacktest } from '../../operations/campaigns/backtest-campaign.ts'
import { getCampaign } from '../../operations/campaigns/manage-campaigns.ts'
import type { Server } from '../fastify-server.ts'
import { toBacktestReply } from '../replies/backtest.ts'
import { sendJson } from '../replies/stream-json.ts'
import { respondToRead } from '../respond-to-read.ts'
import { BacktestBody, BacktestReply } from '../schemas/backtest.ts'
import { Id } from '../schemas/fields.ts'
import type { ServerOptions } from '../server-options.ts'

export function backtestRoutes(app: Server, { deps }: ServerOptions): void {
  app.post(
    '/v1/campaigns/:id/backtest',
    {
      config: {
        access: ['manage'],
        isLong: true,
        mayLag: true,
        refusals: ['campaign_not_found', 'invalid_campaign_definition'],
      },
      schema: {
        operationId: 'backtestCampaign',
        summary: 'Try the draft on the sales of a range of days',
        description:
          'Shows what the draft, or a `definition` in the body, would have given and cost, against what the campaign ' +
          'gave. Nothing is stored. It is as if the draft had been published all the time, whatever its `startsAt` and ' +
          '`endsAt`, beside the other campaigns as they are now; limits count from the first sale. A range may have ' +
          '1000000 sales; those in the archive are not read. The response is sent while the sales are read: ' +
          'a client that reads it bit by bit can show the progress.',
        tags: ['Campaigns'],
        params: Type.Object({ id: Id('cmp') }),
        body: BacktestBody,
        response: { 200: BacktestReply },
      },
    },
    async (request, reply) => {
      const { organization } = request.caller
      const started = await respondToRead(deps, request, reply, async (tenant) => {
        const campaign = await getCampaign(tenant, parseId('cmp', request.params.id))
        return startBacktest(deps, tenant, organization, campaign, request.body)
      })
      sendJson(reply, { progress: started.progress, result: () => toBacktestReply(started, organization) })
      return reply
    },
  )
}
