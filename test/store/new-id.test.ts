import { expect, test } from 'vitest'
import { idsWithin, newId } from '../../src/store/new-id.ts'
import { uuidOf } from '../../src/store/tenant.ts'

const at = (text: string) => new Date(text)
const noon = at('2030-01-01T12:00:00Z')

test('ids ascend, also within a millisecond and when the clock steps back a little', () => {
  const times = [noon, noon, at('2030-01-01T11:59:59Z'), at('2030-01-01T11:30:00Z'), noon]
  const ids = times.map((time) => newId('txn', time))
  expect(ids).toEqual(ids.toSorted())
  expect(new Set(ids).size).toBe(ids.length)
})

test('a clock that was days ahead is not followed', () => {
  newId('txn', at('2030-01-09T00:00:00Z'))
  const id = newId('txn', noon)
  expect(Number.parseInt(uuidOf(id).slice(0, 12), 16)).toBe(noon.getTime())
})

test('the ids of a range of time hold every id made within it, also those an unsteady clock made', () => {
  const { least, most } = idsWithin({ from: noon, to: at('2030-01-01T12:00:01Z') })
  newId('txn', at('2030-01-01T12:59:59Z'))
  const id = uuidOf(newId('txn', noon))
  expect([id > least!, id < most!]).toEqual([true, true])
  const others = ['2030-01-01T09:00:00Z', '2030-01-01T15:00:00Z'].map((time) =>
    uuidOf(newId('txn', at(time))),
  )
  expect(others.map((other) => other > least! && other < most!)).toEqual([false, false])
  expect(idsWithin({})).toEqual({ least: undefined, most: undefined })
  expect(idsWithin({ from: new Date(0) }).least).toBe('0'.repeat(32))
  expect(idsWithin({ to: at('+275760-09-12T00:00:00Z') }).most).toBe(`${'f'.repeat(12)}${'0'.repeat(20)}`)
})
