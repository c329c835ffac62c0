import { expect, test } from 'vitest'
import { maskAddress } from './mask-address.ts'

test.each([
  ['email', 'grace@example.com', 'g•••@e•••.com'],
  ['email', 'a@b.co.uk', 'a•••@b•••.uk'],
  ['email', 'root@localhost', 'r•••@l•••'],
  ['email', '😀face@example.com', '😀•••@e•••.com'],
  ['email', '"a@b"@example.com', '"•••@e•••.com'],
  ['sms', '+436641234567', '+43 ••• ••67'],
  ['sms', '+12025550123', '+1 ••• ••23'],
] as const)('%s %s is shown as %s', (channel, address, masked) => {
  expect(maskAddress(channel, address)).toBe(masked)
})
