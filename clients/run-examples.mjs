// Runs the programs in examples/ against a running demo, as their README says, and checks what they do.
//   node run-examples.mjs path/to/demo.json
import { deepStrictEqual, match, strictEqual } from 'node:assert'
import { execFile, spawn } from 'node:child_process'
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const root = fileURLToPath(new URL('..', import.meta.url))
// Where Express is installed, which the project itself does not need.
const copy = join(root, 'clients/node_modules/.examples')
await rm(copy, { recursive: true, force: true })
for (const part of ['examples', 'sdk/dist']) await cp(join(root, part), join(copy, part), { recursive: true })
const examples = join(copy, 'examples')
const [, , demoFile] = process.argv
const demo = JSON.parse(await readFile(demoFile, 'utf8'))
process.env.DEMO = demoFile
const { openWallet } = await import('../examples/demo.mjs')
const wallet = openWallet()
const folder = await mkdtemp(join(tmpdir(), 'lw-examples-'))
const unique = Date.now()

try {
  await till()
  await webShop()
  for (const framework of ['fastify', 'express']) await webhooks(framework)
  await browserTill()
} finally {
  await rm(folder, { recursive: true, force: true })
}
console.log('5 examples')

/** A sale, one whose answers are lost, and the next start, which settles it. */
async function till() {
  const pending = join(folder, 'pending')
  const phone = `+1 202 55${String(unique).slice(-5)}`
  const run = async (args, env = {}) => {
    const own = { ...process.env, DEMO: demoFile, PENDING: pending, ...env }
    return (await promisify(execFile)(process.execPath, [join(examples, 'till.mjs'), ...args], { env: own }))
      .stdout
  }
  match(await run([phone, 'latte', 'croissant']), /To pay: 6\.5\nSold: /)
  const deaf = await losingAnswers('/v1/transactions/process')
  const { DEMO } = await withDemo({ baseUrl: deaf.url })
  match(await run([phone, 'latte'], { DEMO, ATTEMPTS: '1' }), /No answer\./)
  deaf.close()
  strictEqual((await readdir(pending)).length, 1)
  match(await run([]), /^Settled what was open/)
  const { id } = await wallet.findCustomer({ q: phone })
  const sales = await wallet.listCustomerTransactions(id)
  strictEqual(sales.data.length, 2)
}

async function withDemo(changes) {
  const DEMO = join(folder, 'demo')
  await writeFile(DEMO, JSON.stringify({ ...demo, ...changes }))
  return { DEMO }
}

/** Forwards everything, and closes the connection in place of the answer to one path. */
async function losingAnswers(path) {
  const server = createServer(async (request, response) => {
    const parts = []
    for await (const part of request) parts.push(part)
    const { host: _, connection: __, 'content-length': ___, ...headers } = request.headers
    const body = parts.length > 0 ? Buffer.concat(parts) : undefined
    const answer = await fetch(demo.baseUrl + request.url, { method: request.method, headers, body })
    const bytes = Buffer.from(await answer.arrayBuffer())
    if (request.url.startsWith(path)) return request.socket.destroy()
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(bytes)
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { url: `http://127.0.0.1:${server.address().port}`, close: () => server.close() }
}

/** Starts an example that listens, until the work is done. */
async function withServer(file, env, work) {
  const child = spawn(process.execPath, [join(examples, file)], {
    env: { ...process.env, DEMO: demoFile, PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const lines = []
  child.stdout.on('data', (text) => lines.push(...String(text).trim().split('\n')))
  try {
    while (lines.length === 0) {
      if (child.exitCode !== null) throw new Error(`${file} ended`)
      await sleep(20)
    }
    await work(/http:\S+/.exec(lines[0])[0], lines)
  } finally {
    child.kill()
  }
}

async function post(url, body) {
  const response = await fetch(url, { method: 'POST', body: JSON.stringify(body) })
  return response.json()
}

async function webShop() {
  await withServer('web-shop.mjs', {}, async (url) => {
    const cart = { email: `shop-${unique}@example.com`, items: [{ product: 'latte', quantity: 2 }] }
    const { due, collects } = await post(`${url}/cart`, cart)
    strictEqual(due, 7)
    strictEqual(collects.length, 2)
    const order = `order-${unique}`
    const [first, second] = await Promise.all([1, 2].map(() => post(`${url}/checkout`, { ...cart, order })))
    deepStrictEqual(first, second)
    strictEqual(first.charge, 7)
    deepStrictEqual(await post(`${url}/refund`, { order }), { refund: 7 })
    const wrong = { ...cart, items: [{ product: 'latte', quantity: -1 }] }
    strictEqual((await post(`${url}/cart`, wrong)).error, '_invalid_payload')
  })
}

/** The service itself sends the event, and somebody else an unsigned one. */
async function webhooks(framework) {
  const port = 20_000 + (unique % 20_000) + (framework === 'express' ? 1 : 0)
  const url = `http://127.0.0.1:${port}/events`
  const { id, secret } = await wallet.addWebhook({ url, types: ['customer.created'] })
  const env = { WEBHOOK_SECRET: secret, PORT: String(port) }
  await withServer(`webhooks-${framework}.mjs`, env, async (at, lines) => {
    strictEqual(at, url)
    const headers = { 'content-type': 'application/json' }
    const forged = await fetch(url, { method: 'POST', headers, body: '{"type":"customer.created"}' })
    strictEqual(forged.status, 400)
    await wallet.createCustomer({ data: {} })
    const until = Date.now() + 30_000
    while (lines.length < 2 && Date.now() < until) await sleep(50)
    match(lines[1] ?? '', /^customer\.created \d+$/)
  })
  await wallet.deleteWebhook(id)
}

/** What the page's script does, without a browser: the journeys of the project's own till have one. */
async function browserTill() {
  await withServer('browser-till/server.mjs', {}, async (url) => {
    match(await (await fetch(url)).text(), /<form id="sale">/)
    strictEqual((await fetch(`${url}/sdk/index.js`)).status, 200)
    strictEqual((await fetch(`${url}/sdk/../server.mjs`)).status, 404)
    strictEqual((await fetch(`${url}/loyalty/v1/connections`)).status, 403)
    const { createLoyaltyWallet } = await import('../sdk/dist/index.js')
    const page = createLoyaltyWallet({ baseUrl: `${url}/loyalty`, authorize: () => undefined })
    const body = { campaignId: demo.campaignId, customer: { data: { email: `page-${unique}@example.com` } } }
    const { cards } = await page.registerCustomer(body)
    const sale = await page.processTransaction({ barcode: cards[0].barcode, amount: 5 })
    strictEqual(sale.totals.due, 5)
  })
}
