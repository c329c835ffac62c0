/**
 * Messages and objects as Square documents them: https://developer.squareup.com/reference/square/webhooks,
 * https://developer.squareup.com/reference/square/objects/Order and, for what comes back,
 * https://developer.squareup.com/docs/orders-api/order-returns-exchanges. Money is in minor units, quantities are texts.
 */
const usd = (amount: number) => ({ amount, currency: 'USD' })

const event = (type: string, id: string, object: object) => ({
  merchant_id: 'MLEFBHHSJGVHD',
  type,
  event_id: `6a8f5f28-54a1-4eb0-a98a-${id.toLowerCase()}`,
  created_at: '2026-03-14T09:26:54.123Z',
  data: { type: type.split('.')[0], id, object },
})

export const paymentUpdated = event('payment.updated', 'KkAkhdMsgzn59SM8A89WgKwekxLZY', {
  payment: {
    id: 'KkAkhdMsgzn59SM8A89WgKwekxLZY',
    amount_money: usd(1250),
    tip_money: usd(100),
    card_details: {
      card: { bin: '411111', card_brand: 'VISA', exp_month: 11, exp_year: 2028, last_4: '1111' },
      entry_method: 'EMV',
    },
    billing_address: { postal_code: '94103' },
    buyer_email_address: 'ada@example.com',
    customer_id: 'A9641GZW2H7Z56YYSD41Q12HDW',
    location_id: 'S8GWD5R9QB376',
    order_id: '03O3USaPaAaFnI6kkwB1JxGgBsUZY',
    status: 'COMPLETED',
  },
})

export const orderUpdated = event('order.updated', '03O3USaPaAaFnI6kkwB1JxGgBsUZY', {
  order_updated: {
    order_id: '03O3USaPaAaFnI6kkwB1JxGgBsUZY',
    location_id: 'S8GWD5R9QB376',
    state: 'COMPLETED',
    version: 4,
    created_at: '2026-03-14T09:20:00.000Z',
    updated_at: '2026-03-14T09:26:53.000Z',
  },
})

export const refundUpdated = event('refund.updated', 'KkAkhdMsgzn59SM8A89WgKwekxLZY_ptydx', {
  refund: {
    id: 'KkAkhdMsgzn59SM8A89WgKwekxLZY_ptydx',
    amount_money: usd(450),
    location_id: 'S8GWD5R9QB376',
    order_id: 'j7CWK5PozTAPsfm2XlGPKPzeV',
    payment_id: 'KkAkhdMsgzn59SM8A89WgKwekxLZY',
    reason: 'Ada did not like it',
    status: 'COMPLETED',
  },
})

export const squareOrder = {
  id: '03O3USaPaAaFnI6kkwB1JxGgBsUZY',
  location_id: 'S8GWD5R9QB376',
  created_at: '2026-03-14T09:20:00.000Z',
  updated_at: '2026-03-14T09:26:53.000Z',
  closed_at: '2026-03-14T09:26:53.456Z',
  state: 'COMPLETED',
  version: 4,
  source: { name: 'Square Point of Sale' },
  ticket_name: 'Ada',
  line_items: [
    {
      uid: '8uSwfzvUImn3IRrvciqlXC',
      catalog_object_id: 'BJNQCF2FJ6S6UIDT65ABHLRX',
      catalog_version: 1700000000000,
      quantity: '2',
      name: 'Flat White',
      variation_name: 'Large',
      item_type: 'ITEM',
      note: 'no sugar',
      base_price_money: usd(450),
      variation_total_price_money: usd(900),
      modifiers: [{ uid: 'modA', name: 'Oat milk', quantity: '2', total_price_money: usd(100) }],
      gross_sales_money: usd(1000),
      total_tax_money: usd(80),
      total_discount_money: usd(100),
      total_money: usd(980),
      applied_discounts: [{ uid: 'dis', discount_uid: 'd1', applied_money: usd(100) }],
    },
    {
      uid: 'yH0WNBMRXsYqTqHNwZ7mlB',
      quantity: '0.35',
      quantity_unit: { measurement_unit: { weight_unit: 'METRIC_KILOGRAM' }, precision: 2 },
      name: 'Coffee beans',
      variation_name: 'Regular',
      item_type: 'ITEM',
      base_price_money: usd(1000),
      variation_total_price_money: usd(350),
      gross_sales_money: usd(350),
      total_tax_money: usd(0),
      total_discount_money: usd(0),
      total_money: usd(350),
    },
  ],
  discounts: [{ uid: 'd1', name: 'Happy hour', percentage: '10' }],
  total_money: usd(1430),
  total_tip_money: usd(100),
  tenders: [
    {
      id: 'KkAkhdMsgzn59SM8A89WgKwekxLZY',
      customer_id: 'A9641GZW2H7Z56YYSD41Q12HDW',
      type: 'CARD',
      amount_money: usd(1430),
      card_details: { card: { card_brand: 'VISA', last_4: '1111' } },
    },
  ],
}

export const squareReturn = {
  id: 'j7CWK5PozTAPsfm2XlGPKPzeV',
  location_id: 'S8GWD5R9QB376',
  state: 'COMPLETED',
  created_at: '2026-03-15T10:00:00.000Z',
  closed_at: '2026-03-15T10:00:00.000Z',
  returns: [
    {
      uid: 'qN9n2gNRtXgHpUTVRR1nB',
      source_order_id: '03O3USaPaAaFnI6kkwB1JxGgBsUZY',
      return_line_items: [
        {
          uid: 'uid1',
          source_line_item_uid: '8uSwfzvUImn3IRrvciqlXC',
          name: 'Flat White',
          variation_name: 'Large',
          quantity: '1',
          item_type: 'ITEM',
          gross_return_money: usd(500),
          total_money: usd(450),
        },
      ],
      return_amounts: { total_money: usd(450) },
    },
  ],
  refunds: [
    { id: 'ref', tender_id: 'KkAkhdMsgzn59SM8A89WgKwekxLZY', amount_money: usd(450), status: 'APPROVED' },
  ],
}

export const squareCustomer = {
  id: 'A9641GZW2H7Z56YYSD41Q12HDW',
  created_at: '2026-01-01T00:00:00Z',
  given_name: 'Ada',
  family_name: 'Lovelace',
  email_address: 'ada@example.com',
  phone_number: '+1-212-555-4240',
  birthday: '1815-12-10',
  address: { address_line_1: '500 Electric Ave', postal_code: '10003' },
  note: 'a customer',
  reference_id: '2000000000000014',
}
