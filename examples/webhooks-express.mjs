// Receives webhooks with Express (npm install express): WEBHOOK_SECRET=whsec_… node examples/webhooks-express.mjs
import express from 'express'
import { verifyWebhook } from '../sdk/dist/index.js'

const app = express()
/** In your own software a table with a unique key: an event can come more than once. */
const handled = new Set()

// The signature is of the bytes as they came, so that nothing may parse them before.
app.post('/events', express.raw({ type: 'application/json' }), async (request, response) => {
  let event
  try {
    event = await verifyWebhook({ body: request.body, headers: request.headers }, process.env.WEBHOOK_SECRET)
  } catch (error) {
    return response.status(400).json({ error: error.message })
  }
  if (!handled.has(event.id)) {
    handled.add(event.id)
    console.log(`${event.type} ${event.position}`)
  }
  response.status(204).end()
})

const server = app.listen(Number(process.env.PORT ?? 3003), '127.0.0.1', () =>
  console.log(`Receives events at http://127.0.0.1:${server.address().port}/events`),
)
