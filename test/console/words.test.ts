/** What the service can say, the console has words for. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { nothingReasons } from '../../src/adapters/made.ts'
import { eventTypes } from '../../src/domain/event.ts'
import type { MovementKind } from '../../src/domain/ledger-entry.ts'
import { messageFailures, messageKinds, messageStatus } from '../../src/domain/message.ts'
import { refusals } from '../../src/domain/refusal.ts'
import { skipReasons } from '../../src/domain/skip-reason.ts'
import { receivedProblems } from '../../src/domain/source.ts'
import { passProblems } from '../../src/domain/wallet-pass.ts'
import { warningCodes } from '../../src/domain/warning.ts'
import { packageRoot } from '../../src/package-root.ts'

const texts = (namespace: string) =>
  JSON.parse(readFileSync(join(packageRoot, `console/locales/en/${namespace}.json`), 'utf8'))

test('every reason for which a rule gives nothing', () => {
  const { other, ...known } = texts('transactions').skip
  expect(Object.keys(known).sort()).toEqual(Object.keys(skipReasons).sort())
})

test('every kind of ledger entry', () => {
  const kinds: Record<MovementKind, true> = {
    collect: true,
    spend: true,
    consume: true,
    adjust: true,
    expire: true,
    return: true,
    opening: true,
  }
  expect(Object.keys(texts('customers').ledger.kinds).sort()).toEqual(Object.keys(kinds).sort())
})

test('no refusal that the service does not know; only the page can say that there is no answer', () => {
  const known = [...Object.keys(refusals), '_unreachable']
  for (const namespace of ['common', 'till']) {
    const worded = Object.keys(texts(namespace).refusals)
    expect(worded.filter((code) => !known.includes(code))).toEqual([])
  }
})

test('every warning about a basket', () => {
  expect(Object.keys(texts('common').warnings).sort()).toEqual([...warningCodes].sort())
})

test('every type of event', () => {
  const { type, typeAbout } = texts('webhooks')
  for (const words of [type, typeAbout]) {
    const worded = Object.entries(words).flatMap(([subject, facts]) =>
      Object.keys(facts as object).map((fact) => `${subject}.${fact}`),
    )
    expect(worded.sort()).toEqual(Object.keys(eventTypes).sort())
  }
})

test('every kind and status of a message, and what its text may contain', () => {
  const { kind, placeholder, failure } = texts('messages')
  expect(Object.keys(failure).sort()).toEqual(Object.keys(messageFailures).sort())
  expect(Object.keys(kind).sort()).toEqual(Object.keys(messageKinds).sort())
  const named = Object.values(messageKinds).flatMap(({ placeholders }) => [...placeholders])
  expect(Object.keys(placeholder).sort()).toEqual([...new Set<string>(named)].sort())
  const statuses = Object.values(messageStatus).map(String)
  expect(Object.keys(texts('common').status.message).sort()).toEqual(statuses.sort())
})

test('everything that can be wrong with the keys for passes, with what to do', () => {
  const worded: Record<string, object> = texts('passes').problem
  expect(Object.keys(worded).sort()).toEqual(Object.keys(passProblems).sort())
  for (const words of Object.values(worded)) expect(Object.keys(words)).toEqual(['what', 'todo'])
})

test('everything that keeps what a source received from being recorded, with what to do', () => {
  const worded: Record<string, object> = texts('sources').problem
  const codes = Object.keys({ ...nothingReasons, ...receivedProblems })
  expect(codes.filter((code) => !(code in worded))).toEqual([])
  // The others are refusals.
  const others = Object.keys(worded).filter((code) => !codes.includes(code))
  expect(others.filter((code) => !(code in refusals))).toEqual([])
  for (const words of Object.values(worded)) expect(Object.keys(words)).toEqual(['what', 'todo'])
})
