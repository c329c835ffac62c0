import type { AddressInfo } from 'node:net'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectRefusal } from '../support/expect-refusal.ts'
import { isFull } from '../support/full.ts'
import { type Merchant, startTestService, type TestService } from '../support/service.ts'
import { type Body, times } from '../support/shop.ts'

/** A busy machine may take a second over a reply, in which nothing moves on its connection. */
const replyTimeoutMs = 2_000
const sales = 60

let service: TestService
let merchant: Merchant
let port: number
let customer: string
let card: string

beforeAll(async () => {
  service = await startTestService({ replyTimeoutMs })
  merchant = await service.createMerchant()
  ;({ customer, card } = await merchant.register(await merchant.publishCampaign()))
  const items = times(400, (i) => ({ product: 'latte', name: `Line ${i} ${'x'.repeat(80)}`, unitPrice: 1 }))
  for (let i = 0; i < sales; i++) {
    const reply = await merchant.call('POST', '/v1/transactions/process', { customer, card, items })
    expect(reply.status).toBe(201)
  }
  await service.app.listen({ port: 0, host: '127.0.0.1' })
  port = (service.app.server.address() as AddressInfo).port
})
afterAll(() => service.close())

/** Sends requests on one connection, more than once where the operating system would take all of a reply. */
function ask(path: string, count = 1): Socket {
  const socket = connect(port, '127.0.0.1').on('error', () => {})
  const request = `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${merchant.token}\r\n\r\n`
  socket.write(request.repeat(count))
  return socket
}

/** Open connections, as the server counts them. */
const connections = () =>
  new Promise<number>((resolve) =>
    service.app.server.getConnections((_error: Error | null, count: number) => resolve(count)),
  )

async function untilClosed(most: number, patienceMs: number): Promise<number> {
  const startedAt = performance.now()
  while ((await connections()) > most && performance.now() - startedAt < patienceMs) await sleep(50)
  return performance.now() - startedAt
}

describe('a reply that is not taken', () => {
  test('is closed after its time, a page and an export alike', async () => {
    const before = await connections()
    const sockets = ['transactions?limit=100', 'export'].flatMap((what) =>
      times(4, () => ask(`/v1/customers/${customer}/${what}`, 30).pause()),
    )
    await expect.poll(connections).toBe(before + 8)
    const tookMs = await untilClosed(before, 15_000)
    expect(await connections()).toBe(before)
    expect(tookMs).toBeGreaterThan(replyTimeoutMs / 2)
    for (const socket of sockets) socket.destroy()
    // Whatever counted them has forgotten them.
    expect((await merchant.call('GET', `/v1/customers/${customer}/transactions`)).status).toBe(200)
  })

  test.runIf(isFull)('stays open as long as it is read, however slowly', { timeout: 30_000 }, async () => {
    // More than a client gets that reads so slowly, and more than the operating system keeps for it.
    const socket = ask(`/v1/customers/${customer}/export`, 4)
    const endsAt = performance.now() + 2.5 * replyTimeoutMs
    let end = ''
    let isClosed = false
    socket.on('close', () => {
      isClosed = true
    })
    socket.on('data', (data: Buffer) => {
      end = (end + data.toString('latin1')).slice(-100)
      if (performance.now() > endsAt) return
      socket.pause()
      setTimeout(() => socket.resume(), 50)
    })
    await sleep(2.5 * replyTimeoutMs)
    expect(isClosed).toBe(false)
    while (!end.endsWith('\r\n0\r\n\r\n')) await sleep(20)
    socket.destroy()
  })

  test.runIf(isFull)('a connection that waits for its next request is not closed by it', async () => {
    const socket = ask('/livez')
    let text = ''
    socket.on('data', (data: Buffer) => {
      text += data.toString('latin1')
    })
    await sleep(1.5 * replyTimeoutMs)
    expect(text.match(/HTTP\/1\.1 200/g)).toHaveLength(1)
    socket.write('GET /livez HTTP/1.1\r\nHost: x\r\n\r\n')
    await expect.poll(() => text.match(/HTTP\/1\.1 200/g)).toHaveLength(2)
    socket.destroy()
  })
})

describe('pages end at a megabyte', () => {
  async function walk(path: string, limit: number) {
    const rows: Body[] = []
    const pages: number[] = []
    let cursor: string | undefined
    do {
      const more = cursor === undefined ? '' : `&cursor=${cursor}`
      const reply = await merchant.call('GET', `${path}?limit=${limit}${more}`)
      expect(reply.status).toBe(200)
      expect(reply.headers['content-type']).toBe('application/json; charset=utf-8')
      expect(reply.text.length).toBeLessThan(1_048_576 + 1_000)
      rows.push(...reply.body.data)
      pages.push(reply.body.data.length)
      cursor = reply.body.nextCursor
    } while (cursor !== undefined)
    return { rows, pages }
  }

  // The full check also looks at pages of 25 and of 1.
  const limits = isFull ? [100, 25, 7, 1] : [100, 7]
  test.each(limits)('and the next continues exactly, with a limit of %d', async (limit) => {
    for (const path of [`/v1/customers/${customer}/transactions`, '/v1/transactions']) {
      const { rows, pages } = await walk(path, limit)
      const ids = rows.map(({ id }) => id)
      expect(new Set(ids).size).toBe(sales)
      expect(ids).toEqual([...ids].sort().reverse())
      expect(ids).toHaveLength(sales)
      if (limit === 100) expect(pages.length).toBeGreaterThan(2)
      if (limit === 7) expect(pages.slice(0, -1).every((length) => length === 7)).toBe(true)
    }
  })

  test('a list of exactly the limit has no next page, and an empty one neither', async () => {
    const own = await service.createMerchant()
    const list = async (limit: number) => (await own.call('GET', `/v1/campaigns?limit=${limit}`)).body
    expect(await list(10)).toEqual({ data: [] })
    for (let i = 0; i < 30; i++)
      await own.call('POST', '/v1/campaigns', { name: `C${i}`, balances: [{ key: 'b' }] })
    expect((await list(30)).nextCursor).toBeUndefined()
    expect((await list(30)).data).toHaveLength(30)
    expect((await list(29)).nextCursor).toBeDefined()
    expect((await list(100)).nextCursor).toBeUndefined()
  })

  test('large campaigns and their versions are on pages of their own', async () => {
    const own = await service.createMerchant()
    const products = times(1000, (i) => `${'p'.repeat(190)}${i}`)
    const rules = [{ kind: 'collect_per_item', balance: 'b', amount: 1, products }]
    const { body } = await own.call('POST', '/v1/campaigns', {
      name: 'Large',
      balances: [{ key: 'b' }],
      rules,
    })
    for (let i = 0; i < 8; i++) {
      await own.call('PATCH', `/v1/campaigns/${body.id}`, { name: `Large ${i}` })
      expect((await own.call('POST', `/v1/campaigns/${body.id}/publish`)).status).toBe(200)
    }
    const versions: number[] = []
    let cursor = ''
    do {
      const reply = await own.call('GET', `/v1/campaigns/${body.id}/versions?limit=100${cursor}`)
      expect(reply.text.length).toBeLessThan(1_049_000)
      versions.push(...reply.body.data.map(({ version }: Body) => version))
      for (const { version, changes } of reply.body.data) expect(changes).toHaveLength(version === 1 ? 0 : 1)
      cursor = reply.body.nextCursor ? `&cursor=${reply.body.nextCursor}` : ''
    } while (cursor !== '')
    expect(versions).toEqual([8, 7, 6, 5, 4, 3, 2, 1])
  })
})

describe('an export', () => {
  const path = () => `/v1/customers/${customer}/export`

  test('has everything, in order', async () => {
    const { body, headers } = await merchant.call('GET', path())
    expect(headers['content-type']).toBe('application/json; charset=utf-8')
    expect(Object.keys(body)).toEqual(['customer', 'transactions', 'ledger', 'coupons', 'passes', 'received'])
    const ids = body.transactions.map(({ id }: Body) => id)
    expect(ids).toHaveLength(sales)
    expect(ids).toEqual([...ids].sort().reverse())
    const ledger = await merchant.call('GET', `/v1/customers/${customer}/ledger?limit=100`)
    expect(body.ledger.slice(0, 100)).toEqual(ledger.body.data)
    const coupons = await merchant.call('GET', `/v1/customers/${customer}/coupons?limit=100`)
    expect(body.coupons.slice(0, 100)).toEqual(coupons.body.data)
    const unknown = `/v1/customers/cus_${'0'.repeat(32)}/export`
    expectRefusal(await merchant.call('GET', unknown), 404, 'customer_not_found')
  })

  test('that fails halfway ends the connection, and the client sees that', async () => {
    await service.database.pool.query('ALTER TABLE ledger_entries RENAME TO moved')
    const socket = ask(path())
    let text = ''
    socket.on('data', (data: Buffer) => {
      text += data.toString('latin1')
    })
    await new Promise((resolve) => socket.on('close', resolve))
    await service.database.pool.query('ALTER TABLE moved RENAME TO ledger_entries')
    expect(text).toMatch(/^HTTP\/1\.1 200/)
    expect(text.endsWith('\r\n0\r\n\r\n')).toBe(false)
    expect((await merchant.call('GET', path())).status).toBe(200)
  })
})

describe('metaData', () => {
  const note = (length: number) => ({ note: 'x'.repeat(length) })
  const code = '_invalid_payload'
  const tooLarge = /^metaData: must have at most 8 KB as JSON; it has 8\.1 KB\.$/

  test('has 8 KB at most, wherever it is sent', async () => {
    const basket = { customer, card, amount: 1 }
    for (const path of ['validate', 'process']) {
      const send = (metaData: object) =>
        merchant.call('POST', `/v1/transactions/${path}`, { ...basket, metaData })
      expect((await send(note(8192 - 11))).status).toBeLessThan(300)
      expectRefusal(await send(note(8192 - 10)), 400, code, tooLarge)
      expectRefusal(await send({ note: 'é'.repeat(4_100) }), 400, code, /8\.1 KB/)
    }
    const campaignId = await merchant.publishCampaign()
    const profile = { data: {}, metaData: note(8182) }
    expectRefusal(await merchant.call('POST', '/v1/customers', profile), 400, code, tooLarge)
    const registration = { campaignId, customer: profile }
    expectRefusal(await merchant.call('POST', '/v1/customers/register', registration), 400, code, tooLarge)
  })

  test('that was stored larger is shown, kept and made smaller, but not larger', async () => {
    const own = await merchant.register(await merchant.publishCampaign())
    const path = `/v1/customers/${own.customer}`
    await service.database.pool.query('UPDATE customers SET meta_data = $1 WHERE id = $2', [
      JSON.stringify({ a: 'x'.repeat(50_000), b: 1 }),
      own.customer.slice('cus_'.length),
    ])
    expect((await merchant.call('GET', path)).body.metaData.a).toHaveLength(50_000)
    const patch = (body: object) => merchant.call('PATCH', path, body)
    expect((await patch({ data: { fullname: 'Ada' } })).body.metaData.a).toHaveLength(50_000)
    expectRefusal(await patch({ metaData: { c: 'x' } }), 400, code, /48\.9 KB/)
    expect((await patch({ metaData: { b: null } })).status).toBe(200)
    expect((await patch({ metaData: { a: null, c: 'x' } })).body.metaData).toEqual({ c: 'x' })
    expectRefusal(await patch({ metaData: note(8_192) }), 400, code, /at most 8 KB/)
    expect((await patch({ metaData: null })).body.metaData).toBeUndefined()
  })
})
