import { expect, test } from 'vitest'
import type { LogLine, Operation } from '../faults/call-log.ts'
import { outageMs } from './outage.ts'

let calls = 0
const call = (at: number, status = 201, operation: Operation = 'sale'): LogLine[] => {
  const id = `call-${++calls}`
  return [
    { kind: 'sent', at: at - 10, call: id, attempt: 1, operation, route: '/' },
    { kind: 'answered', at, call: id, attempt: 1, status, isReplay: false },
  ]
}
const every = (ms: number, from: number, to: number) =>
  Array.from({ length: (to - from) / ms }, (_, i) => call(from + i * ms)).flat()

test('adds up the pauses between acknowledged writes, and does not count the usual ones', () => {
  const lines = [...every(100, 1_000, 3_000), ...every(100, 8_000, 9_000), ...every(100, 11_000, 12_000)]
  expect(outageMs(lines, 1_000, 12_000)).toBe(5_100 + 2_100)
  expect(outageMs(every(100, 1_000, 3_000), 1_000, 3_000)).toBe(0)
})

test('counts what follows the last acknowledgment, and neither reads nor errors as service', () => {
  const lines = [...every(100, 1_000, 2_000), ...call(4_000, 503), ...call(5_000, 200, 'read')]
  expect(outageMs(lines, 1_000, 8_000)).toBe(6_100)
})
