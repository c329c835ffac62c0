import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestService, type TestService } from '../support/service.ts'
import { times } from '../support/shop.ts'

interface Registrar {
  readonly token: string
  readonly campaignId: string
}

/** More than there are places for calls with a connection of their own, so that one waits for another. */
const organizations = 12

let service: TestService
let url: string
let first: Registrar
let others: Registrar[]

beforeAll(async () => {
  service = await startTestService({ statementTimeoutMs: 5_000, maxCallMs: 10_000 })
  const all: Registrar[] = []
  for (let i = 0; i < organizations; i++) {
    const { token, publishCampaign } = await service.createMerchant()
    all.push({ token, campaignId: await publishCampaign() })
  }
  ;[first, ...others] = all as [Registrar, ...Registrar[]]
  // Only a call that came in over a socket is ever late.
  url = await service.app.listen({ port: 0, host: '127.0.0.1' })
})
afterAll(() => service.close())

async function register({ token, campaignId }: Registrar): Promise<number> {
  const reply = await fetch(`${url}/v1/customers/register`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ campaignId, customer: { data: {} } }),
  })
  await reply.text()
  return reply.status
}

/** So many registrations of each, all at once; the different answers there were. */
async function statusesOf(each: number, who: readonly Registrar[]): Promise<number[]> {
  return [...new Set(await Promise.all(times(each, () => who.map(register)).flat()))]
}

test('calls that are sent away while they wait for their turn take no place from those that come later', async () => {
  const holder = await service.database.pool.connect()
  await holder.query(
    'BEGIN; SET LOCAL idle_in_transaction_session_timeout = 0; LOCK TABLE customers IN SHARE MODE',
  )
  const early = statusesOf(12, [first])
  // When those that wait are sent away, calls that came later stand in the places they wait for.
  await sleep(3_000)
  const later = statusesOf(3, others)
  const stalled = [await early, await later]
  await holder.query('ROLLBACK')
  holder.release()
  expect(stalled).toEqual([[503], [503]])
  expect(await statusesOf(3, [first, ...others])).toEqual([201])
})
