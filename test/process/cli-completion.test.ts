import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { toScript } from '../../src/cli/completion-scripts.ts'
import { listCommands } from '../support/run-command.ts'

const nodes = listCommands()

test('every command of the program can be completed, with its options', () => {
  const paths = nodes.map(({ path }) => path.join(' '))
  expect(paths).toEqual(expect.arrayContaining(['', 'campaigns apply', 'connection rotate', 'completion']))
  const apply = nodes.find(({ path }) => path.join(' ') === 'campaigns apply')!
  expect(apply.words.map(({ word }) => word)).toEqual(
    expect.arrayContaining(['--file', '--publish', '--yes', '--json', '--help']),
  )
})

const has = (shell: string) => spawnSync(shell, ['--version']).status === 0

test.skipIf(!has('bash'))('bash completes commands, those below them, and options', () => {
  const cases = [
    [['camp'], 'campaigns'],
    [['campaigns', 'ap'], 'apply'],
    [['campaigns', 'apply', '--pub'], '--publish'],
    [['campaigns', 'apply', '-f', 'x', '--ye'], '--yes'],
    [['completion', 'z'], 'zsh'],
  ] as const
  const asked = cases.map(([words]) => {
    const list = words.map((word) => `'${word}'`).join(' ')
    return `COMP_WORDS=(loyalty-wallet ${list}) COMP_CWORD=${words.length}; _loyalty_wallet; echo "\${COMPREPLY[@]}"`
  })
  const { stdout, stderr } = spawnSync('bash', ['-c', [toScript('bash', nodes), ...asked].join('\n')], {
    encoding: 'utf8',
  })
  expect(stderr).toBe('')
  expect(stdout.trimEnd().split('\n')).toEqual(cases.map(([, completed]) => completed))
})

test.each(['zsh', 'fish'] as const)('the script for %s is accepted by it, if it is here', (shell) => {
  const script = toScript(shell, nodes)
  expect(script).toContain('campaigns')
  if (!has(shell)) return
  expect(spawnSync(shell, ['-n'], { input: script, encoding: 'utf8' })).toMatchObject({
    status: 0,
    stderr: '',
  })
})
