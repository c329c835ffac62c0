import { execFile } from 'node:child_process'
import { readFile, stat } from 'node:fs/promises'
import { connect, createServer } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { callsOf, type OpenApiDocument } from '../../src/http/openapi/reference/document.ts'
import {
  type Checkout,
  type DemoFile,
  findServerPid,
  makeCheckout,
  readDemo,
  type Service,
} from '../support/checkout.ts'
import { isFull } from '../support/full.ts'
import { pasteExamples, readExamples } from '../support/paste-examples.ts'

// The tests of this file are one story on one data folder, in the order of the file.
let checkout: Checkout
let dataDir: string
let service: Service
let firstDemo: DemoFile

beforeAll(async () => {
  checkout = await makeCheckout()
  dataDir = await checkout.newDataDir()
})

afterAll(() => checkout.remove())

test('the first start answers and leaves the demo for scripts, readable by its owner alone', async () => {
  service = await checkout.start({ DATA_DIR: dataDir })
  firstDemo = await readDemo(dataDir)
  expect(Object.keys(firstDemo).sort()).toEqual([
    'adminToken',
    'apiKey',
    'apiSecret',
    'baseUrl',
    'campaignId',
    'consoleEmail',
    'consolePassword',
    'consoleUrl',
    'organizationId',
  ])
  expect((await stat(join(dataDir, 'demo.json'))).mode & 0o777).toBe(0o600)
  expect(firstDemo.baseUrl).toBe(service.baseUrl)
  expect((await fetch(`${service.baseUrl}/readyz`)).status).toBe(200)
  const admin = await fetch(`${service.baseUrl}/admin/v1/organizations/${firstDemo.organizationId}`, {
    headers: { authorization: `Bearer ${firstDemo.adminToken}` },
  })
  expect(admin.status).toBe(200)
})

test('the greeting names everything, and its curl line works as pasted', async () => {
  const greeting = service.stdout()
  const { baseUrl, apiKey, apiSecret, consoleUrl, consoleEmail, consolePassword } = firstDemo
  const login = [consoleUrl, consoleEmail, consolePassword]
  for (const word of [baseUrl, apiKey, apiSecret, ...login, join(dataDir, 'demo.json')])
    expect(greeting).toContain(word)
  const line = /^ {2}(curl .*)$/m.exec(greeting)?.[1]
  const { stdout } = await promisify(execFile)('sh', ['-c', `${line} --silent`])
  expect(JSON.parse(stdout)).toMatchObject({ tokenType: 'Bearer', accessToken: expect.any(String) })
})

test.runIf(isFull)(
  'every example of the API reference works as pasted, in the order of the page',
  async () => {
    const { baseUrl } = firstDemo
    const examples = readExamples(await (await fetch(`${baseUrl}/docs`)).text())
    const document = (await (await fetch(`${baseUrl}/openapi.json`)).json()) as OpenApiDocument
    const successOf = new Map(
      callsOf(document).map(({ operationId, responses }) => [operationId, Object.keys(responses)[0]!]),
    )
    const named = new Set(examples.map(({ name }) => name))
    expect([...successOf.keys()].filter((operation) => !named.has(operation))).toEqual([])
    // One of the examples takes the newest request from the log, which is written once a second.
    const logged = async () => (await callAsTill(firstDemo, '/v1/requests')).data.length
    await callAsTill(firstDemo, '/v1/campaigns')
    await expect.poll(logged, { timeout: 60_000 }).toBeGreaterThan(0)

    // Readers are slower than the background work, which records what a source has sent.
    const asRead = examples.map((example) =>
      example.name === 'retryReceivedMessage'
        ? { ...example, commands: `sleep 2\n${example.commands}` }
        : example,
    )
    const pasted = await pasteExamples(asRead, dataDir)
    // The first one, since the others may fail because of it.
    const failed = pasted.find(({ name, statuses, complaints }) => {
      // What is prepared for a section may take several requests.
      const expected = successOf.get(name) ?? '(?:20[01],?)*'
      // An example may ask for a token first.
      return complaints !== '' || !new RegExp(`^(?:200,)?${expected}$`).test(statuses.join())
    })
    expect(failed).toBeUndefined()
  },
)

test('the three people of the demo sign in with its password, and each is what the address says', async () => {
  expect(firstDemo.consoleUrl).toBe(`${firstDemo.baseUrl}/console`)
  expect(firstDemo.consoleEmail).toBe('owner@demo.example')
  for (const role of ['owner', 'manager', 'cashier']) {
    expect(await signInAs(firstDemo, `${role}@demo.example`)).toBe(200)
  }
  const wrong = { ...firstDemo, consolePassword: 'something else' }
  expect(await signInAs(wrong, 'owner@demo.example')).toBe(401)
})

test('in a pipe the log is JSON lines', () => {
  const logged = service
    .stdout()
    .split('\n')
    .filter((line) => line.startsWith('{'))
  expect(logged.length).toBeGreaterThan(0)
  for (const line of logged) expect(JSON.parse(line)).toHaveProperty('msg')
})

test('a second service on the same data folder is refused, and the first keeps its demo.json', async () => {
  const second = await checkout.run(['serve'], { DATA_DIR: dataDir })
  expect(second).toMatchObject({ code: 1, stdout: '' })
  expect(second.stderr).toMatch(/in use by another Loyalty Wallet process/)
  expect(second.stderr.trim().split('\n')).toHaveLength(1)
  expect(await readDemo(dataDir)).toEqual(firstDemo)
})

test('after kill -9 it starts again, with the earlier data', async () => {
  const customer = await registerCustomer(firstDemo)
  await service.end('SIGKILL')
  expect(await findServerPid(dataDir)).toBeDefined()
  service = await checkout.start({ DATA_DIR: dataDir })
  const demo = await readDemo(dataDir)
  const { baseUrl } = service
  expect(demo).toEqual({ ...firstDemo, baseUrl, consoleUrl: `${baseUrl}/console` })
  expect(await signInAs(demo, 'owner@demo.example')).toBe(200)
  const found = await callAsTill(demo, `/v1/customers/${customer}`)
  expect(found).toMatchObject({ id: customer })
})

test('SIGTERM stops service and database within ten seconds, with exit code 0', async () => {
  const { code, afterMs } = await service.end('SIGTERM')
  expect(code).toBe(0)
  expect(afterMs).toBeLessThan(10_000)
  expect(await findServerPid(dataDir)).toBeUndefined()
})

test('the next start uses the same credentials, campaign and organization', async () => {
  service = await checkout.start({ DATA_DIR: dataDir })
  const { baseUrl } = service
  expect(await readDemo(dataDir)).toEqual({ ...firstDemo, baseUrl, consoleUrl: `${baseUrl}/console` })
})

test('a Ctrl-C that arrives twice, as npm makes it do, still stops both with exit code 0', async () => {
  const ended = service.end('SIGINT')
  setTimeout(() => service.process.kill('SIGINT'), 5)
  const { code, afterMs } = await ended
  expect(code).toBe(0)
  expect(afterMs).toBeLessThan(10_000)
  expect(await findServerPid(dataDir)).toBeUndefined()
  expect(await readFile(join(dataDir, 'postgres.log'), 'utf8')).toMatch(/database system is shut down\s*$/)
})

test('a port in use is said plainly, and the database is stopped again', async () => {
  const stranger = createServer().listen(0, '127.0.0.1')
  await new Promise((done) => stranger.once('listening', done))
  const { port } = stranger.address() as { port: number }
  const refused = await checkout.run(['serve'], { DATA_DIR: dataDir, PORT: String(port) })
  stranger.close()
  expect(refused.code).toBe(1)
  expect(refused.stderr).toBe(
    `Port ${port} on 127.0.0.1 is in use by another program. Stop that program, or set PORT to another port (PORT=0 picks a free one).\n`,
  )
  expect(await findServerPid(dataDir)).toBeUndefined()
})

test.runIf(isFull)('a demo campaign that somebody archived is replaced by a new one', async () => {
  service = await checkout.start({ DATA_DIR: dataDir })
  await callAsTill(await readDemo(dataDir), `/v1/campaigns/${firstDemo.campaignId}/archive`, {})
  await service.end('SIGTERM')
  service = await checkout.start({ DATA_DIR: dataDir })
  const demo = await readDemo(dataDir)
  expect(demo.campaignId).not.toBe(firstDemo.campaignId)
  expect(demo.apiKey).toBe(firstDemo.apiKey)
  expect(await callAsTill(demo, `/v1/campaigns/${demo.campaignId}`)).toMatchObject({ status: 'published' })
})

test.runIf(isFull)('a client that never finishes its request does not hold up the end', async () => {
  const { port } = new URL(service.baseUrl)
  const socket = connect(Number(port), '127.0.0.1')
  socket.on('error', () => {})
  socket.write(
    'POST /auth/token HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{',
  )
  await new Promise((done) => setTimeout(done, 100))
  const { code, afterMs } = await service.end('SIGTERM')
  socket.destroy()
  expect(code).toBe(0)
  expect(afterMs).toBeLessThan(10_000)
  expect(await findServerPid(dataDir)).toBeUndefined()
})

test.runIf(isFull)(
  'told to stop in the middle of its first start, it leaves no database running',
  async () => {
    const fresh = await checkout.newDataDir()
    const running = checkout.run(['serve'], { DATA_DIR: fresh })
    while ((await findServerPid(fresh)) === undefined) await new Promise((done) => setTimeout(done, 5))
    checkout.signalNewest('SIGTERM')
    expect(await running).toMatchObject({ code: 0, stderr: '' })
    expect(await findServerPid(fresh)).toBeUndefined()
  },
)

async function signInAs({ baseUrl, consolePassword }: DemoFile, email: string): Promise<number> {
  const reply = await fetch(`${baseUrl}/auth/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email, password: consolePassword }),
  })
  const { person } = (await reply.json()) as { person?: { role: string } }
  if (person) expect(email).toBe(`${person.role}@demo.example`)
  return reply.status
}

async function registerCustomer(demo: DemoFile): Promise<string> {
  const body = { campaignId: demo.campaignId, customer: { data: { fullname: 'Ada' } } }
  return (await callAsTill(demo, '/v1/customers/register', body)).id
}

// biome-ignore lint/suspicious/noExplicitAny: read the way a client would.
async function callAsTill(demo: DemoFile, path: string, body?: object): Promise<any> {
  const issued = await fetch(`${demo.baseUrl}/auth/token`, {
    method: 'POST',
    headers: { 'x-api-key': demo.apiKey, 'x-api-secret': demo.apiSecret },
  })
  const { accessToken } = (await issued.json()) as { accessToken: string }
  const reply = await fetch(demo.baseUrl + path, {
    method: body ? 'POST' : 'GET',
    headers: { authorization: `Bearer ${accessToken}`, ...(body && { 'content-type': 'application/json' }) },
    body: body && JSON.stringify(body),
  })
  return reply.json()
}
