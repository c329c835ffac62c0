// Serves a till in a browser, and forwards its requests to the service with the credentials added. The page never
// sees a token or a secret, and can call nothing but what a till needs.
import { createReadStream } from 'node:fs'
import { createServer } from 'node:http'
import { fileURLToPath } from 'node:url'
import { demo, openWallet } from '../demo.mjs'

const wallet = openWallet()
const allowed = /^\/v1\/(?:customers\/(?:find|register)|transactions\/(?:validate|process))$/

const files = { '/': ['index.html', 'text/html; charset=utf-8'], '/till.js': ['till.js', 'text/javascript'] }

const server = createServer(async (request, response) => {
  const { pathname, search } = new URL(request.url, 'http://x')
  if (pathname.startsWith('/loyalty/'))
    return forward(request, response, pathname.slice('/loyalty'.length), search)
  if (/^\/sdk\/[\w-]+\.js$/.test(pathname)) {
    return send(response, `../../sdk/dist/${pathname.slice('/sdk/'.length)}`, 'text/javascript')
  }
  const file = files[pathname]
  return file ? send(response, ...file) : response.writeHead(404).end()
})

function send(response, path, type) {
  const stream = createReadStream(fileURLToPath(new URL(path, import.meta.url)))
  stream.on('error', () => response.writeHead(404).end())
  stream.on('open', () => stream.pipe(response.writeHead(200, { 'content-type': type })))
}

async function forward(request, response, path, search) {
  if (!allowed.test(path)) return response.writeHead(403).end()
  const parts = []
  for await (const part of request) parts.push(part)
  try {
    const authorization = await wallet.authorization()
    const { 'content-type': type, 'idempotency-key': key } = request.headers
    const answer = await fetch(demo.baseUrl + path + search, {
      method: request.method,
      headers: {
        authorization,
        ...(type && { 'content-type': type }),
        ...(key && { 'idempotency-key': key }),
      },
      body: parts.length > 0 ? Buffer.concat(parts) : undefined,
    })
    const headers = { 'content-type': 'application/json' }
    response.writeHead(answer.status, headers).end(Buffer.from(await answer.arrayBuffer()))
  } catch {
    response.writeHead(502).end()
  }
}

server.listen(Number(process.env.PORT ?? 3004), '127.0.0.1', () =>
  console.log(`The till is at http://127.0.0.1:${server.address().port}`),
)
