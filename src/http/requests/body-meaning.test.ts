import { Type } from 'typebox'
import { describe, expect, test } from 'vitest'
import { NewCustomer, RegisterCustomer } from '../schemas/customer.ts'
import { ReturnBody } from '../schemas/return.ts'
import { BasketBody } from '../schemas/transaction.ts'
import { meaningOf } from './body-meaning.ts'

const bare = { customer: 'cus_1', card: 'card_1', items: [{ product: 'latte', unitPrice: 3.5 }] }
const withLine = (more: object) => ({ ...bare, items: [{ ...bare.items[0], ...more }] })

describe('a basket means the same with', () => {
  test.each<[string, object]>([
    ['an unknown property', { ...bare, retry: 1 }],
    ['an unknown property of an item', withLine({ color: 'red' })],
    ['no points to spend', { ...bare, pointsToSpend: 0 }],
    ['no discount', { ...bare, discountAmount: 0 }],
    ['no discount on an item', withLine({ discountAmount: 0 })],
    ['a quantity of 1', withLine({ quantity: 1 })],
    ['the position as the ID of an item', withLine({ id: '1' })],
    ['no coupons', { ...withLine({ reward: [] }), reward: [] }],
    ['empty metadata', { ...bare, metaData: {} }],
  ])('%s', (_name, body) => {
    expect(meaningOf(BasketBody, body)).toEqual(bare)
  })

  test('one coupon alone or in a list', () => {
    const body = (reward: unknown) => meaningOf(BasketBody, { ...withLine({ reward }), reward })
    expect(body(['cpn_1'])).toEqual(body('cpn_1'))
    expect(body(['cpn_1', 'cpn_2'])).not.toEqual(body(['cpn_2', 'cpn_1']))
  })

  test('no items and an empty list of them', () => {
    expect(meaningOf(BasketBody, { ...bare, items: [] })).toEqual({ customer: 'cus_1', card: 'card_1' })
  })
})

describe('a basket means something else with', () => {
  test.each<[string, object]>([
    ['a discounted amount of 0, which makes the order free', { ...bare, discountedAmount: 0 }],
    ['a discounted amount of 0, which makes the item free', withLine({ discountedAmount: 0 })],
    ['an amount of 0', { ...bare, amount: 0 }],
    ['another quantity', withLine({ quantity: 2 })],
    ['an ID that is the position of another item', withLine({ id: '2' })],
    ['one more item that says nothing', { ...bare, items: [...bare.items, {}] }],
    ['metadata, whatever it contains', { ...bare, metaData: { quantity: 1, list: [] } }],
  ])('%s', (_name, body) => {
    expect(meaningOf(BasketBody, body)).toEqual(body)
  })
})

test('what a return says about its items has no default', () => {
  const body = { items: [{ id: '1', quantity: 1 }] }
  expect(meaningOf(ReturnBody, { ...body, retry: 1 })).toEqual(body)
})

test('of a customer who is registered by ID, nothing else counts', () => {
  const body = { campaignId: 'cmp_1', customer: { id: 'cus_1' } }
  const more = { data: { fullname: 'Ada' }, opaqueId: 'crm-1' }
  expect(meaningOf(RegisterCustomer, { ...body, customer: { ...body.customer, ...more } })).toEqual(body)
})

test('a required property counts even if it is empty', () => {
  expect(meaningOf(NewCustomer, { data: {}, metaData: {}, consents: { Unknown: true } })).toEqual({
    data: {},
  })
})

test('every purpose of a consent counts, and what only the service writes does not', () => {
  const body = { data: {}, consents: { marketing: true, sms: false } }
  const sentBack = { ...body, consents: { ...body.consents, history: [{ purpose: 'sms', given: false }] } }
  expect(meaningOf(NewCustomer, sentBack)).toEqual(body)
})

test('a property without a declared default counts', () => {
  const schema = Type.Object({ couponsIncluded: Type.Optional(Type.Boolean()) })
  expect(meaningOf(schema, { couponsIncluded: false })).toEqual({ couponsIncluded: false })
})
