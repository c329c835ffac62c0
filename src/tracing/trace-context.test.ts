import { expect, test } from 'vitest'
import { traceHeaders } from './spans.ts'
import { readTraceContext } from './trace-context.ts'

const traceId = '0af7651916cd43dd8448eb211c80319c'
const spanId = 'b7ad6b7169203331'

test.each([
  { rule: 'a recorded trace', given: `00-${traceId}-${spanId}-01`, isSampled: true },
  { rule: 'a trace that is not recorded', given: `00-${traceId}-${spanId}-00`, isSampled: false },
  { rule: 'flags that we do not know', given: `00-${traceId}-${spanId}-fb`, isSampled: true },
  { rule: 'a later version', given: `01-${traceId}-${spanId}-01`, isSampled: true },
  {
    rule: 'a later version with more fields',
    given: `cc-${traceId}-${spanId}-01-what.comes`,
    isSampled: true,
  },
])('$rule is taken', ({ given, isSampled }) => {
  expect(readTraceContext(given, undefined)).toMatchObject({ traceId, spanId, isSampled })
})

test.each([
  { rule: 'nothing', given: undefined },
  { rule: 'an empty text', given: '' },
  { rule: 'capitals', given: `00-${traceId.toUpperCase()}-${spanId}-01` },
  { rule: 'a trace of zeros', given: `00-${'0'.repeat(32)}-${spanId}-01` },
  { rule: 'a span of zeros', given: `00-${traceId}-${'0'.repeat(16)}-01` },
  { rule: 'the forbidden version', given: `ff-${traceId}-${spanId}-01` },
  { rule: 'more fields than the version has', given: `00-${traceId}-${spanId}-01-more` },
  { rule: 'something behind the flags', given: `01-${traceId}-${spanId}-01.more` },
  { rule: 'a short id', given: `00-${traceId.slice(1)}-${spanId}-01` },
  { rule: 'two of them, which Node joins', given: `00-${traceId}-${spanId}-01, 00-${traceId}-${spanId}-01` },
])('$rule is ignored', ({ given }) => {
  expect(readTraceContext(given, 'a=1')).toBeUndefined()
})

test('what was taken is passed on, with what other tools have added', () => {
  const traceparent = `00-${traceId}-${spanId}-00`
  const tracestate = 'rojo=00f067aa0ba902b7,congo=t61rcWkgMzE'
  expect(traceHeaders(readTraceContext(traceparent, tracestate))).toEqual({ traceparent, tracestate })
  expect(traceHeaders(readTraceContext(traceparent, 'x'.repeat(513)))).toEqual({ traceparent })
  expect(traceHeaders()).toEqual({})
})
