import { expect, test } from 'vitest'
import { type ConsentChange, maxPurposes, recordConsents } from './consents.ts'

const at = new Date('2026-03-14T09:26:53Z')
const told = { at, via: 'connection' } as const
const change = (purpose: string, given: boolean): ConsentChange => ({ purpose, given, ...told })

test.each([
  ['a purpose that is given', undefined, { marketing: true }, [change('marketing', true)]],
  ['a purpose that is refused', {}, { sms: false }, [change('sms', false)]],
  ['one that is withdrawn', { sms: true }, { sms: false }, [change('sms', false)]],
  ['one that is removed while given', { sms: true }, {}, [change('sms', false)]],
  [
    'all of them removed',
    { sms: true, post: true },
    undefined,
    [change('sms', false), change('post', false)],
  ],
  ['nothing for one that is removed while refused', { sms: false }, {}, []],
  ['nothing for what stays', { sms: true }, { sms: true }, []],
  ['only what changed', { sms: true, post: false }, { sms: true, post: true }, [change('post', true)]],
  ['a purpose with a name that every object has', {}, { constructor: true }, [change('constructor', true)]],
])('records %s', (_what, before, after, expected) => {
  expect(recordConsents([], before, after as Record<string, boolean>, told)).toEqual(expected)
})

test('keeps the newest changes, and the latest of every purpose', () => {
  const names = Array.from({ length: maxPurposes }, (_, i) => `p${i}`)
  let history = recordConsents([], {}, Object.fromEntries(names.map((name) => [name, true])), told)
  for (let i = 0; i < 500; i++)
    history = recordConsents(history, { p0: i % 2 === 0 }, { p0: i % 2 === 1 }, told)
  expect(history).toHaveLength(50 + maxPurposes - 1)
  expect(new Set(history.map(({ purpose }) => purpose))).toEqual(new Set(names))
  expect(history.at(-1)).toEqual(change('p0', true))
})
