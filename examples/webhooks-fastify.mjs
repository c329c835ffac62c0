// Receives webhooks with Fastify: WEBHOOK_SECRET=whsec_… node examples/webhooks-fastify.mjs
import Fastify from 'fastify'
import { verifyWebhook } from '../sdk/dist/index.js'

const app = Fastify()
// The signature is of the bytes as they came, so that nothing may parse them before.
app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) =>
  done(null, body),
)

/** In your own software a table with a unique key: an event can come more than once. */
const handled = new Set()

app.post('/events', async (request, reply) => {
  let event
  try {
    event = await verifyWebhook({ body: request.body, headers: request.headers }, process.env.WEBHOOK_SECRET)
  } catch (error) {
    return reply.code(400).send({ error: error.message })
  }
  if (!handled.has(event.id)) {
    handled.add(event.id)
    console.log(`${event.type} ${event.position}`)
  }
  return reply.code(204).send()
})

await app.listen({ port: Number(process.env.PORT ?? 3002), host: '127.0.0.1' })
console.log(`Receives events at http://127.0.0.1:${app.server.address().port}/events`)
