/** What the guide of the command line says can be typed. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { packageRoot } from '../../src/package-root.ts'
import { listCommands } from '../support/run-command.ts'

const guide = readFileSync(join(packageRoot, 'docs/guides/command-line.md'), 'utf8')
const shown = [...guide.matchAll(/^```sh\n([\s\S]*?)^```/gm)]
  .flatMap(([, block]) => block!.trim().split('\n'))
  .map((line) => line.replace(/^eval "\$\((.*)\)"$/, '$1'))
const nodes = listCommands()

test('the guide shows commands', () => expect(shown.length).toBeGreaterThan(20))

test.each(shown)('%s', (line) => {
  const [program, ...words] = line.split(' ')
  expect(program).toBe('loyalty-wallet')
  const known = nodes.filter(({ path }) => path.every((word, i) => words[i] === word))
  const node = known.reduce((longest, one) => (one.path.length > longest.path.length ? one : longest))
  expect(node.path.length).toBeGreaterThan(0)
  const options = words.filter((word) => word.startsWith('--'))
  expect(node.words.map(({ word }) => word)).toEqual(expect.arrayContaining(options))
})

test('every command of daily work is in the guide', () => {
  const daily = [
    'login',
    'customers',
    'campaigns',
    'transactions',
    'events',
    'webhooks',
    'trigger',
    'logs',
    'demo',
  ]
  const commands = nodes.filter(({ path }) => daily.includes(path[0] ?? ''))
  const leaves = commands.filter(
    ({ path }) => !commands.some((one) => one.path.length > path.length && one.path[0] === path[0]),
  )
  const missing = leaves.filter(
    ({ path }) => !shown.some((line) => line.startsWith(`loyalty-wallet ${path.join(' ')}`)),
  )
  expect(missing.map(({ path }) => path.join(' '))).toEqual([])
})
