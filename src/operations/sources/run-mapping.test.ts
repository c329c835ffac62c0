import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { afterAll, describe, expect, test } from 'vitest'
// @ts-expect-error It has no types: the build does not need any.
import { bundle, wholeBundle } from '../../../scripts/bundle.mjs'
import { packageRoot } from '../../package-root.ts'
import { createMappingRunner } from './run-mapping.ts'

const limits = {
  timeMs: 100,
  depth: 200,
  entries: 20_000,
  resultCharacters: 256 * 1024,
  memoryMb: 64,
  hangMs: 10_000,
  idleMs: 30_000,
}
const runner = createMappingRunner(limits)
afterAll(() => runner.close())

const payload = { id: 7, lines: [{ sku: 'a', price: '1.50' }], long: `${'a'.repeat(60)}!` }
const run = (expression: string, org = 'org_a') => runner.run({ org, expression, payload, topic: 'sold' })
const works = async () => expect(await run('$sum(lines.$number(price))')).toEqual({ value: 1.5 })

describe('a mapping', () => {
  test('makes something of a payload', async () => {
    expect(await run('{ "type": "sale", "opaqueId": $string(id), "t": $topic }')).toEqual({
      value: { type: 'sale', opaqueId: '7', t: 'sold' },
    })
    await works()
  })

  test('that selects nothing returns nothing', async () => {
    expect(await run('nowhere')).toEqual({ value: undefined })
    expect(await runner.run({ org: 'org_a', expression: '$', payload: undefined })).toEqual({ value: null })
  })

  test.each([
    [
      'a syntax error',
      '{ "type": \n lines[',
      /^Expected "]" before end of expression\. See line 2, character 7\.$/,
    ],
    ['a wrong type', '$sum(lines.price)', /^Argument 1 of function "sum" .*\. See line 1, character 5\.$/],
    ['an unknown function', '$sume(1)', /^Attempted to invoke a non-function\. See line 1, character 6\.$/],
    ['an error of its own', '$error("No receipt")', /^No receipt\./],
    [
      'a list of ten million',
      '[1..9999999]',
      /^A list has more than 20000 entries\. See line 1, character 4\.$/,
    ],
    [
      'endless nesting',
      '($f := function($x){ $f($x) + 1 }; $f(1))',
      /^Functions call each other more than 200 levels deep\./,
    ],
    ['a huge result', '$pad("", 300000, "x")', /^The result has more than 262144 characters\./],
    ['a function as its result', 'function($x){ $x }', /^The mapping returns something that is not JSON/],
    [
      'a function in its result',
      '{ "sum": $sum, "f": function($x){ $x } }',
      /^The mapping returns something/,
    ],
    ['a text that is too long', '$pad("", 2000000000, "x")', /./],
  ])('with %s fails, and says where', async (_, expression, text) => {
    expect(await run(expression)).toEqual({
      problem: { code: 'mapping_failed', text: expect.stringMatching(text) },
    })
    await works()
  })

  test.each([
    ['calls itself forever', '($f := function(){ $f() }; $f())'],
    ['searches forever', '$match(long, /^(a+)+$/)'],
  ])('that %s is ended', async (_, expression) => {
    expect(await run(expression)).toMatchObject({ problem: { code: expect.stringMatching(/^mapping_/) } })
    await works()
  })

  test.each([
    [
      'a text that doubles',
      '($g := function($s,$n){ $n=0 ? $s : $g($uppercase($s & $s & "a"), $n-1) }; $g("x", 40))',
    ],
    [
      'a list that doubles',
      '($g := function($s,$n){ $n=0 ? $s : $g($append($s, $s), $n-1) }; $g([1,2,3], 40))',
    ],
    ['a list of each character', '$count($split($pad("", 100000000, "ab"), ""))'],
    [
      'many objects',
      '$map([1..20000], function($v){ $map([1..20000], function($w){ {"a": $string($w)} }) })',
    ],
    ['one large list after the other', '[1..20000].([1..20000].{"a": $})'],
  ])('that fills the memory with %s is ended', async (_, expression) => {
    expect(await run(expression)).toMatchObject({ problem: { code: expect.stringMatching(/^mapping_/) } })
    await works()
  })
})

test('a process that runs out of memory is replaced', async () => {
  const small = createMappingRunner({ ...limits, entries: 1e9, timeMs: 60_000, hangMs: 60_000, memoryMb: 16 })
  const hungry = { org: 'org_a', expression: '[1..9999999]', payload }
  expect(await small.run(hungry)).toEqual({
    problem: { code: 'mapping_failed', text: 'The mapping needs more than 16 MB of memory.' },
  })
  expect(await small.run({ ...hungry, expression: 'id' })).toEqual({ value: 7 })
  small.close()
})

test('what other organizations have left in memory is no reason to fail', async () => {
  const roomy = createMappingRunner({ ...limits, entries: 1e9, timeMs: 60_000, hangMs: 60_000 })
  // Some mappings are kept, together with what they were given last.
  for (const expression of ['1', '2', '3', '4', '5', '6', '7'])
    await roomy.run({ org: 'org_a', expression, payload: 'x'.repeat(6_000_000) })
  // It needs most of the memory: more than is left here, and never as much as an empty process has.
  const large = { org: 'org_b', expression: '$count([1..3000000])', payload }
  expect(await roomy.run(large)).toEqual({ value: 3_000_000 })
  roomy.close()
})

test('what no timeout of its own ends is killed', async () => {
  const patient = createMappingRunner({ ...limits, timeMs: 1e6, hangMs: 1000 })
  const slow = { org: 'org_a', expression: '$match(long, /^(a+)+$/)', payload }
  expect(await patient.run(slow)).toMatchObject({ problem: { code: 'mapping_too_slow' } })
  await expect.poll(() => patient.run({ ...slow, expression: 'id' })).toEqual({ value: 7 })
  patient.close()
})

test('mappings find nothing of each other or of the process', async () => {
  const curious = [
    '$sum.implementation',
    '$lookup(lines, "constructor")',
    'lines.constructor.constructor',
    '$.__proto__',
    '$$.constructor',
  ]
  for (const expression of curious) expect(await run(expression)).toEqual({ value: undefined })
  await run('$merge([{"__proto__": {"polluted": 1}}])')
  await run('$ ~> |lines|{"__proto__": {"polluted": 1}}|')
  await run('($x := 1; $sum := function($y){ 42 }; $sum(1))')
  expect(await run('[polluted, lines.polluted, $x, $sum([1, 2])]')).toEqual({ value: [3] })
})

test('the syntax of an expression is checked without a payload', async () => {
  expect(await runner.parse('org_a', 'lines.{ "id": sku }')).toBeUndefined()
  expect(await runner.parse('org_a', 'lines.{ "id": sku')).toEqual({
    code: 'mapping_failed',
    text: expect.stringMatching(/^Expected "\}" before end of expression\. See line 1, character 17\.$/),
  })
  expect(await runner.parse('org_a', '('.repeat(100_000))).toMatchObject({ code: 'mapping_failed' })
  await works()
})

test('organizations take turns', async () => {
  const order: string[] = []
  const slow = Array.from({ length: 3 }, () =>
    run('$match(long, /^(a+)+$/)', 'org_a').then(() => order.push('a')),
  )
  const quick = ['b', 'c'].map((org) => run('id', `org_${org}`).then(() => order.push(org)))
  await Promise.all([...slow, ...quick])
  expect(order).toEqual(['a', 'a', 'b', 'c', 'a'])
})

test('what is waiting when the runner is closed fails, and what comes later', async () => {
  const closed = createMappingRunner()
  const waiting = [1, 2].map(() =>
    closed.run({ org: 'org_a', expression: '$match(long, /^(a+)+$/)', payload }),
  )
  closed.close()
  for (const result of await Promise.allSettled(waiting)) expect(result.status).toBe('rejected')
  await expect(closed.parse('org_a', '1')).rejects.toThrow('closed')
})

test.each([
  ['that is shipped', bundle],
  ['that tests start', wholeBundle],
])('mappings run from the bundle %s', async (_, options) => {
  const folder = await mkdtemp(join(packageRoot, 'node_modules/.bundled-mapping-'))
  try {
    const program = `import { createMappingRunner } from './run-mapping.ts'
      const runner = createMappingRunner()
      console.log(JSON.stringify(await runner.run({ org: 'org_a', expression: 'a + 1', payload: { a: 1 } })))`
    await build({
      ...options,
      entryPoints: undefined,
      stdin: { contents: program, resolveDir: import.meta.dirname, sourcefile: 'try.ts' },
      outdir: folder,
      entryNames: 'try',
    })
    // It ends without being told to: an idle process for mappings does not keep it alive.
    const { stdout } = await promisify(execFile)(process.execPath, [join(folder, 'try.js')])
    expect(JSON.parse(stdout)).toEqual({ value: 2 })
  } finally {
    await rm(folder, { recursive: true })
  }
})
