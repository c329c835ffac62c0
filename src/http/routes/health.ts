/** For those who run the service: whether the process lives, whether it can serve, and what it measures. */
import { Type } from 'typebox'
import { Refused } from '../../domain/refusal.ts'
import type { Server } from '../fastify-server.ts'
import { collectMetrics } from '../plugins/metrics.ts'
import type { ServerOptions } from '../server-options.ts'

const tags = ['Operation']

export function healthRoutes(app: Server, options: ServerOptions): void {
  const metrics = collectMetrics(app, options)

  app.get(
    '/livez',
    {
      config: { access: 'public' },
      schema: {
        operationId: 'getLiveness',
        summary: 'Whether the process lives',
        tags,
        response: { 200: Type.Object({ live: Type.Literal(true) }, { examples: [{ live: true }] }) },
      },
    },
    async () => ({ live: true as const }),
  )

  app.get(
    '/readyz',
    {
      config: { access: 'public', refusals: ['_unavailable'] },
      schema: {
        operationId: 'getReadiness',
        summary: 'Whether calls can be served now',
        tags,
        response: { 200: Type.Object({ ready: Type.Literal(true) }, { examples: [{ ready: true }] }) },
      },
    },
    async () => {
      if (!(await options.isReady()))
        throw new Refused('_unavailable', 'The database is away, or we are stopping.')
      return { ready: true as const }
    },
  )

  app.get(
    '/metrics',
    {
      config: { access: 'public' },
      schema: {
        operationId: 'getMetrics',
        summary: 'Metrics in the text format of Prometheus',
        tags,
        response: {
          200: {
            content: {
              'text/plain': {
                schema: Type.String({ examples: ['# TYPE process_resident_memory_bytes gauge'] }),
              },
            },
          },
        },
      },
    },
    async (_request, reply) => {
      reply.header('content-type', metrics.contentType).serializer((text: unknown) => String(text))
      return reply.send(await metrics.read())
    },
  )
}
