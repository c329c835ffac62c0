/** For operators: liveness, readiness and metrics. */
import { Type } from 'typebox'
import { Refused } from '../../domain/refusal.ts'
import type { Server } from '../fastify-server.ts'
import { named } from '../openapi/name-components.ts'
import { collectMetrics } from '../plugins/metrics.ts'
import type { ServerOptions } from '../server-options.ts'

const tags = ['Operation']

const MetricsReply = {
  content: {
    'text/plain': {
      schema: Type.String({ examples: ['# TYPE process_resident_memory_bytes gauge'] }),
    },
  },
}

const LivenessReply = Type.Object(
  { live: Type.Literal(true, { description: 'The process runs.' }) },
  { ...named('Liveness'), examples: [{ live: true }] },
)

const ReadinessReply = Type.Object(
  { ready: Type.Literal(true, { description: 'Requests can be handled.' }) },
  { ...named('Readiness'), examples: [{ ready: true }] },
)

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
        response: {
          200: LivenessReply,
        },
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
        response: {
          200: ReadinessReply,
        },
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
          200: MetricsReply,
        },
      },
    },
    async (_request, reply) => {
      reply.header('content-type', metrics.contentType).serializer((text: unknown) => String(text))
      return reply.send(await metrics.read())
    },
  )
}
