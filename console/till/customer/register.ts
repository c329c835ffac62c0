import { api, dataOf } from '../../api/client.ts'
import type { Customer } from '../sale/sale.ts'

/** Opens a card, then reads the customer in the same form as `find`, with the usable coupons. */
export async function register(
  body: {
    campaignId: string
    customer: { id: string } | { data: Record<string, string>; consents?: object }
  },
  key: string,
): Promise<Customer> {
  const params = { header: { 'idempotency-key': key } }
  const { id } = await dataOf(api.POST('/v1/customers/register', { params, body: body as never }))
  return dataOf(api.GET('/v1/customers/{id}', { params: { path: { id } } }))
}
