/**
 * Runs the commands of `docs/guides/operate.md` in the order of the page: the first day of an operator and later ones.
 * Blocks of commands are marked `sh`, and those that cannot be run here with the reason as a second word.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { matchesOutput, pasteBlocks, readBlocks } from '../../scripts/paste-blocks.mjs'
import { packageRoot } from '../../src/package-root.ts'
import { createOperatorsComputer } from '../support/operator.ts'

const guide = readFileSync(join(packageRoot, 'docs/guides/operate.md'), 'utf8')

/** Why blocks are not run, and how many there are. */
const notRun = { docker: 2, network: 2, proxy: 1 }

test('every command of the guide is in a block that is run, or says why it is not', () => {
  const infos = [...guide.matchAll(/^```(.*)\n[\s\S]*?^```$/gm)].map(([, info]) => info!)
  const shells = infos.filter((info) => /^(?:(?:ba|z|da)?sh|shell|console)?(?: |$)/.test(info))
  const marked = shells.filter((info) => info !== 'sh')
  const allowed = Object.entries(notRun).flatMap(([why, count]) => Array<string>(count).fill(`sh ${why}`))
  expect(marked.sort()).toEqual(allowed)
  expect(shells.length - marked.length).toBeGreaterThan(30)
})

/** Without a webhook there is no secret of one to rotate. */
const beforeBlocks = [
  {
    uses: '/webhooks/$WEBHOOK/rotate',
    run: `curl -fsS -o /dev/null -H "Authorization: Bearer $TOKEN" "$SERVICE/v1/webhooks" \\
      -H 'Content-Type: application/json' -d '{ "url": "http://127.0.0.1:9/events" }'`,
  },
]

/** What the service of this test has no metric for: nothing failed, no replica, no traces, no passes. */
const withoutMetric = ['status="5', 'database_replica_age_seconds', 'trace_spans_total', 'pass_updates']

const isInstalled = (program: string) => {
  try {
    execFileSync('sh', ['-c', `command -v ${program}`], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}
const missing = ['bash', 'createdb', 'curl', 'jq', 'openssl', 'psql'].filter((name) => !isInstalled(name))
const needs = missing.length > 0 ? ` (not tried: this computer has no ${missing.join(', ')})` : ''

test.skipIf(missing.length > 0)(
  `the commands of the guide work, and print what it shows${needs}`,
  async () => {
    const computer = await createOperatorsComputer()
    try {
      const blocks = readBlocks(guide, ['sh'])
      const commands = blocks.map((block) => ({
        ...block,
        code: computer.inPlace(
          [
            ...beforeBlocks.flatMap(({ uses, run }) => (block.code.includes(uses) ? run : [])),
            block.code,
          ].join('\n'),
        ),
      }))
      const outputs = await pasteBlocks(commands, ['bash', '-eu'], {
        cwd: computer.folder,
        env: computer.env,
      })
      for (const [i, { expected, line }] of blocks.entries()) {
        const output = outputs[i]!
        if (expected !== undefined && !matchesOutput(computer.inPlace(expected), output))
          expect(output, `operate.md:${line} shows something else`).toBe(expected)
        const silent = [...output.matchAll(/^There is no metric like (.*)\.$/gm)].map(([, name]) => name!)
        const unexpected = silent.filter((name) => !withoutMetric.some((known) => name.includes(known)))
        expect(unexpected, `operate.md:${line}`).toEqual([])
      }
      // What the alerts look for in the log is looked for in a real one.
      const logged = readFileSync(join(computer.folder, 'journal'), 'utf8').split('\n')
      expect(logged.filter((text) => text.startsWith('{')).length).toBeGreaterThan(5)
    } finally {
      await computer.remove()
    }
  },
)
