/** For operators: liveness, readiness and metrics. */
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
        summary: 'Check that the process is alive',
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
        summary: 'Check that the service can handle requests',
        tags,
        response: { 200: Type.Object({ ready: Type.Literal(true) }, { examples: [{ ready: true }] }) },
      },
    },
    async () => {
      if (!(await options.isReady()))
        throw new Refused('_unavailable', 'The database is unreachable, or the service is shutting down.')
      return { ready: true as const }
    },
  )

  app.get(
    '/metrics',
    {
      config: { access: 'public' },
      schema: {
        operationId: 'getMetrics',
        summary: 'Get metrics in Prometheus text format',
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
