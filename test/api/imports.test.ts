import { afterAll, beforeAll, expect, test } from 'vitest'
import { auditDatabase } from '../support/audit.ts'
import { coffeeClub, type Merchant, startTestService, type TestService } from '../support/service.ts'

let service: TestService
let merchant: Merchant
let campaign: string

beforeAll(async () => {
  service = await startTestService()
  merchant = await service.createMerchant({ country: 'AT' })
  campaign = await merchant.publishCampaign(coffeeClub)
})
afterAll(async () => {
  expect(await auditDatabase(service.database.pool)).toEqual([])
  await service.close()
})

const begin = async (more: object = {}, kind = 'customers') => {
  const reply = await merchant.call('POST', '/v1/imports', { kind, campaign, ...more })
  expect(reply.status, reply.text).toBe(201)
  return reply.body.id as string
}
const send = async (id: string, rows: object[], after = 0) =>
  merchant.call('POST', `/v1/imports/${id}/rows`, { after, rows })

test('customers are created', async () => {
  const id = await begin()
  const reply = await send(id, [
    {
      row: 2,
      opaqueId: 'a-1',
      fullname: 'Ada Lovelace',
      email: 'Ada@Example.com',
      phone: '0664 1234567',
      consents: { marketing: true },
      cards: [{ barcode: 'OLD-0001' }],
      balances: [{ key: 'points', lots: [{ amount: 120, expiresAt: '2099-12-31' }, { amount: 30 }] }],
    },
    { row: 3, fullname: 'Grace', email: 'nobody' },
  ])
  expect(reply.body).toEqual({})
})
