import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openShop, type Shop, tally, times } from '../campaigns/shop.ts'
import type { Reply } from '../support/service.ts'
import { startTestService, type TestService } from '../support/service.ts'

interface Registrar {
  readonly shop: Shop
  readonly campaignId: string
}

/** More than there are places for calls with a connection of their own, so that one waits for another. */
const organizations = 12

let service: TestService
let first: Registrar
let others: Registrar[]

beforeAll(async () => {
  service = await startTestService({ lockTimeoutMs: 30_000 })
  const all: Registrar[] = []
  for (let i = 0; i < organizations; i++) {
    const shop = await openShop(service)
    all.push({ shop, campaignId: await shop.merchant.publishCampaign() })
  }
  ;[first, ...others] = all as [Registrar, ...Registrar[]]
})
afterAll(() => service.close())

/** So many registrations of each, all at once. */
function register(each: number, who: readonly Registrar[]): Promise<Reply[]> {
  const calls = times(each, () => who).flat()
  return Promise.all(
    calls.map(({ shop, campaignId }) =>
      shop.call('POST', '/v1/customers/register', { campaignId, customer: { data: {} } }),
    ),
  )
}

test('calls that are sent away while they wait for their turn take no place from those that come later', async () => {
  const holder = await service.database.pool.connect()
  await holder.query(
    'BEGIN; SET LOCAL idle_in_transaction_session_timeout = 0; LOCK TABLE customers IN SHARE MODE',
  )
  const early = register(12, [first])
  // When those that wait are sent away, calls that came later stand in the places they wait for.
  await sleep(3_000)
  const late = register(3, others)
  const stalled = tally([...(await early), ...(await late)])
  await holder.query('ROLLBACK')
  holder.release()
  expect(stalled).toEqual({ '503 _unavailable': 12 + 3 * others.length })
  expect(tally(await register(3, [first, ...others]))).toEqual({ 201: 3 * organizations })
}, 60_000)
