import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isFull } from '../support/full.ts'
import { startTestService, type TestService } from '../support/service.ts'

let service: TestService

beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.close())

interface Template {
  key: string
  definition: { rules: { id: string; per?: number }[]; rewards?: { name: string }[]; spend?: object }
}

describe.each([
  { currency: 'USD', perPoint: 1, fiveOff: '$5 off', back: [0.01, 0.2], spend: { worth: 1, min: 1 } },
  { currency: 'JPY', perPoint: 100, fiveOff: '¥500 off', back: [1, 20], spend: { worth: 1, min: 100 } },
  { currency: 'KRW', perPoint: 1000, fiveOff: '₩5,000 off', back: [1, 20], spend: { worth: 1, min: 1000 } },
  { currency: 'KWD', perPoint: 1, fiveOff: 'KWD 5 off', back: [0.001, 0.02], spend: { worth: 1, min: 1 } },
  { currency: 'HUF', perPoint: 100, fiveOff: 'Ft 500 off', back: [0.01, 0.2], spend: { worth: 1, min: 100 } },
  {
    currency: 'IDR',
    perPoint: 10_000,
    fiveOff: 'Rp 50,000 off',
    back: [0.01, 0.2],
    spend: { worth: 1, min: 10_000 },
  },
  {
    currency: 'IQD',
    perPoint: 1000,
    fiveOff: 'IQD 5,000 off',
    back: [0.001, 0.02],
    spend: { worth: 1, min: 1000 },
  },
])('the templates of an organization in $currency', ({ currency, perPoint, fiveOff, back, spend }) => {
  // Money with two decimals, none and three in every check, the rest in the full one.
  const isTried = isFull || ['USD', 'JPY', 'KWD'].includes(currency)
  test('can all be created and published as they are', { skip: !isTried }, async () => {
    const merchant = await service.createMerchant({ currency })
    const templates: Template[] = (await merchant.call('GET', '/v1/campaign-templates')).body
    expect(templates).toHaveLength(10)
    for (const { key, definition } of templates) {
      const created = await merchant.call('POST', '/v1/campaigns', definition)
      expect([key, created.status, created.body.message]).toEqual([key, 201, undefined])
      const published = await merchant.call('POST', `/v1/campaigns/${created.body.id}/publish`)
      expect([key, published.status, published.body.message]).toEqual([key, 200, undefined])
    }
  })

  test('have amounts that a merchant there would choose', async () => {
    const merchant = await service.createMerchant({ currency })
    const templates: Template[] = (await merchant.call('GET', '/v1/campaign-templates')).body
    const definitionOf = (wanted: string) => templates.find(({ key }) => key === wanted)!.definition
    expect(definitionOf('double-day').rules[0]).toMatchObject({ points: 1, per: perPoint })
    expect(definitionOf('double-day').rewards).toMatchObject([{ name: fiveOff, amount: 5 * perPoint }])
    expect(definitionOf('cashback').rules).toMatchObject([{ points: back[0], per: back[1] }])
    expect(definitionOf('cashback').spend).toMatchObject(spend)
  })
})
