import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { listCommands } from '../../test/support/run-command.ts'
import { toScript } from './completion-scripts.ts'

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
  const complete = (...words: string[]) => {
    const list = words.map((word) => `'${word}'`).join(' ')
    const ask = `COMP_WORDS=(loyalty-wallet ${list}) COMP_CWORD=${words.length}; _loyalty_wallet; echo "\${COMPREPLY[@]}"`
    const { stdout, stderr } = spawnSync('bash', ['-c', `${toScript('bash', nodes)}\n${ask}`], {
      encoding: 'utf8',
    })
    expect(stderr).toBe('')
    return stdout.trim()
  }
  expect(complete('camp')).toBe('campaigns')
  expect(complete('campaigns', 'ap')).toBe('apply')
  expect(complete('campaigns', 'apply', '--pub')).toBe('--publish')
  expect(complete('campaigns', 'apply', '-f', 'x', '--ye')).toBe('--yes')
  expect(complete('completion', 'z')).toBe('zsh')
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
