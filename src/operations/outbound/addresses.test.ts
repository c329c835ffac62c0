import { describe, expect, test } from 'vitest'
import { createAddresses, parseRange } from './addresses.ts'

const { isAllowed } = createAddresses([])

test.each([
  ...['127.0.0.1', '10.1.2.3', '172.31.255.255', '192.168.0.1', '169.254.169.254', '0.0.0.0', '100.64.0.1'],
  ...[
    '224.0.0.1',
    '255.255.255.255',
    '::1',
    '::',
    'fe80::1',
    'fc00::1',
    'fd12::1',
    'ff02::1',
    '2002:7f00:1::',
  ],
  // IPv4 addresses in the clothes of IPv6.
  ...['::ffff:127.0.0.1', '::ffff:7f00:1', '::ffff:10.0.0.1', '64:ff9b::7f00:1'],
])('%s is not on the internet', (address) => {
  expect(isAllowed(address)).toBe(false)
})

test.each(['8.8.8.8', '172.32.0.1', '2606:4700::1111', '::ffff:8.8.8.8'])('%s is', (address) => {
  expect(isAllowed(address)).toBe(true)
})

test('what the operator allows is allowed, and only that', () => {
  const own = createAddresses([parseRange('10.1.0.0/16')!, parseRange('::1')!])
  expect(['10.1.2.3', '::1', '8.8.8.8'].map(own.isAllowed)).toEqual([true, true, true])
  expect(['10.2.0.0', '127.0.0.1'].map(own.isAllowed)).toEqual([false, false])
  expect(['10.1.2.3', '8.8.8.8'].map(own.isOwn)).toEqual([true, false])
})

describe('ranges', () => {
  test.each(['10.0.0.0/33', '10.0.0/8', 'example.com', '10.0.0.0/-1', '::1/129', '', '/8'])(
    '%s is none',
    (text) => {
      expect(parseRange(text)).toBeUndefined()
    },
  )
})
