import { expect } from 'vitest'
import type { RefusalCode } from '../../src/domain/refusal.ts'
import type { Reply } from './service.ts'

/** Expects this refusal: its status, and exactly the fields that the API's error body has. */
export function expectRefusal(reply: Reply, status: number, code: RefusalCode, description?: RegExp): void {
  expect({ status: reply.status, message: reply.body?.message }).toEqual({ status, message: code })
  expectErrorBody(reply)
  if (description) expect(reply.body.description).toMatch(description)
}

const takenCodes = [
  'existing_customer_with_email',
  'existing_customer_with_phone',
  'opaque_id_already_exists',
] satisfies RefusalCode[] as string[]

/** Expects any error: a 4xx or 5xx with the standard error body, and no query string in its path. */
export function expectErrorBody(reply: Reply): void {
  expect(reply.headers['content-type']).toMatch(/^application\/json/)
  expect(reply.body).toEqual({
    statuscode: reply.status,
    errorcode: reply.status,
    message: expect.stringMatching(/^[a-z_]+$/),
    description: expect.any(String),
    timestamp: expect.any(Number),
    path: reply.path.split('?')[0],
    method: reply.method,
    requestId: reply.headers['x-request-id'],
    help: `/docs/errors#${reply.body?.message}`,
    ...(reply.body?.field !== undefined && {
      field: expect.stringMatching(/^[^\s:]/),
    }),
    // The refusals that name what is in the way.
    ...(['transaction_already_exists', 'transaction_archived'].includes(reply.body?.message) && {
      transaction: expect.stringMatching(/^txn_[0-9a-f]{32}$/),
    }),
    ...(reply.body?.message === 'cursor_expired' && { cursor: expect.stringMatching(/^\d+-[0-9a-f]{8}$/) }),
    // Only keys for passes can be wrong in more than one way.
    ...(reply.path.split('?')[0] === '/v1/wallet-passes' &&
      reply.body?.problems !== undefined && {
        problems: reply.body.problems.map(() => expect.stringMatching(/^[a-z_]+$/)),
      }),
    // The loser of a race is not told the winner.
    ...(takenCodes.includes(reply.body?.message) &&
      reply.body.customer !== undefined && { customer: expect.stringMatching(/^cus_[0-9a-f]{32}$/) }),
  })
  expect(Number.isSafeInteger(reply.body.timestamp)).toBe(true)
}

/** Expects a 4xx with the standard error body, as any invalid input gets. */
export function expectClientError(reply: Reply): void {
  expect(reply.status, reply.text.slice(0, 500)).toBeGreaterThanOrEqual(400)
  expect(reply.status, reply.text.slice(0, 500)).toBeLessThan(500)
  expectErrorBody(reply)
}
