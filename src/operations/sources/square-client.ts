/**
 * Square's messages name an order, and no more: the order, and the customer it names, are fetched. The addresses are
 * Square's, or the operator's for tests; no merchant names them.
 */
import { customerOf, orderOf } from '../../adapters/square.ts'
import type { ReceivedProblemCode, SourceEnvironment } from '../../domain/source.ts'

export type SquareHosts = Readonly<Record<SourceEnvironment, string>>

export const squareHosts: SquareHosts = {
  production: 'https://connect.squareup.com',
  sandbox: 'https://connect.squareupsandbox.com',
}

export interface SquareOrder {
  readonly order: unknown
  readonly customer?: unknown
}

export type FetchedOrder = SquareOrder | { readonly problem: ReceivedProblemCode }

const timeoutMs = 8_000
const maxBytes = 1_024 * 1_024

/** Undefined if the message names no order. */
export async function fetchSquareOrder(
  host: string,
  accessToken: string,
  payload: unknown,
): Promise<FetchedOrder | undefined> {
  const id = orderOf(payload)
  if (id === undefined) return undefined
  const found = await get(host, accessToken, `/v2/orders/${encodeURIComponent(id)}`)
  if ('problem' in found) return found
  const { order } = Object(found.json) as { order?: unknown }
  const customer = customerOf(order)
  if (customer === undefined) return { order }
  const owner = await get(host, accessToken, `/v2/customers/${encodeURIComponent(customer)}`)
  // Without the permission, or after the customer was deleted, its ID may still be known here.
  if ('problem' in owner) return owner.problem === 'vendor_refused' ? { order } : owner
  return { order, customer: (Object(owner.json) as { customer?: unknown }).customer }
}

async function get(
  host: string,
  accessToken: string,
  path: string,
): Promise<{ readonly json: unknown } | { readonly problem: ReceivedProblemCode }> {
  try {
    const response = await fetch(host + path, {
      headers: { authorization: `Bearer ${accessToken}`, accept: 'application/json' },
      signal: AbortSignal.timeout(timeoutMs),
      redirect: 'error',
    })
    const { status } = response
    if (status === 429 || status >= 500) return { problem: 'vendor_unreachable' }
    if (!response.ok) return { problem: 'vendor_refused' }
    const text = await response.text()
    if (text.length > maxBytes) return { problem: 'vendor_refused' }
    return { json: JSON.parse(text) }
  } catch {
    return { problem: 'vendor_unreachable' }
  }
}
