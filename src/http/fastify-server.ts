import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyBaseLogger, FastifyInstance } from 'fastify'

// biome-ignore lint/suspicious/noExplicitAny: the raw server type differs between HTTP and HTTPS, and no route uses it.
export type Server = FastifyInstance<any, any, any, FastifyBaseLogger, TypeBoxTypeProvider>
