// Makes the tour with each generated client and with our own, through Prism: a proxy that compares every request and every response
// with openapi.json. Prism is given wrong ones first, so that its silence means something.
//   node tour-through-prism.mjs path/to/demo.json
import { deepStrictEqual } from 'node:assert'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { fileURLToPath } from 'node:url'
import prism from '@stoplight/prism-http'
import proxy from '@stoplight/prism-http-server'

const built = (name) => new URL(`../dist/clients/${name}.js`, import.meta.url)
const demo = JSON.parse(await readFile(process.argv[2], 'utf8'))
const document = fileURLToPath(new URL('../openapi.json', import.meta.url))
const operations = await prism.getHttpOperationsFromSpec(document)
const { expected } = await import(built('tour'))

await refuseWrong()
for (const [i, client] of ['openapi-fetch', 'hey-api', 'sdk'].entries()) {
  const { tour } = await import(built(`tour-${client}`))
  await through(demo.baseUrl, async (baseUrl, seen) => {
    const own = { baseUrl, phone: `+1 202 555 010${i}`, receipt: `tour-with-${client}` }
    deepStrictEqual(await tour({ ...demo, ...own }), expected)
    if (seen.violations.length > 0) throw new Error(`Prism objects:\n${seen.violations.join('\n')}`)
    console.log(`${client}: ${seen.requests} requests as documented`)
  })
}

/** Prism has to notice a request and a response that the document does not allow. */
async function refuseWrong() {
  const url = '/v1/customers/register'
  const send = (baseUrl, body) =>
    fetch(baseUrl + url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: 'Bearer x' },
      body: JSON.stringify(body),
    })
  const good = { campaignId: demo.campaignId, customer: { data: {} } }
  const upstream = createServer((_, reply) => {
    reply.writeHead(201, { 'content-type': 'application/json', 'x-request-id': 'x' }).end('{ "id": 7 }')
  })
  await once(upstream.listen(0, '127.0.0.1'), 'listening')
  await through(`http://127.0.0.1:${upstream.address().port}`, async (baseUrl, { violations }) => {
    await send(baseUrl, good)
    if (!violations.some((text) => text.includes('response.body.id')))
      throw new Error(`Prism lets a wrong response pass: ${violations}`)
    if (violations.some((text) => text.includes('request'))) throw new Error(`Prism objects: ${violations}`)
    await send(baseUrl, { ...good, customer: { id: 7, data: {} } })
    if (!violations.some((text) => text.includes('request.body.customer')))
      throw new Error(`Prism lets a wrong request pass: ${violations}`)
  })
  upstream.close()
}

/** Runs the work with a proxy before the upstream, which collects what is wrong at any severity. */
async function through(upstream, work) {
  const seen = { requests: 0, violations: [] }
  const object = (_, message) => seen.violations.push(message)
  const logger = {
    info: (_, message) => {
      if (message === 'Request received') seen.requests++
      else if (message?.startsWith('Violation')) seen.violations.push(message)
    },
    warn: object,
    error: object,
    debug() {},
    trace() {},
    success() {},
    child: () => logger,
  }
  const server = proxy.createServer(operations, {
    cors: false,
    components: { logger },
    config: {
      isProxy: true,
      upstream: new URL(upstream),
      checkSecurity: true,
      validateRequest: true,
      validateResponse: true,
      mock: false,
      errors: false,
    },
  })
  const baseUrl = await server.listen(0, '127.0.0.1')
  try {
    await work(baseUrl, seen)
  } finally {
    await server.close()
  }
}
