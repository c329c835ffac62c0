// Everything that must pass before a release: `npm run check` with nothing left out, and the checks that are too
// slow for every change. Continues after a failure, and reports at the end how long each step took. To run only
// some: npm run check:full -- check:static test
import { spawn } from 'node:child_process'
import { once } from 'node:events'

const all = [
  ['check:static'],
  ['test'],
  ['test:process'],
  ['test:browser'],
  ['check:package'],
  ['tour'],
  ['check:operate'],
  ['check:clients'],
  ['check:platforms'],
  ['test:matrix'],
  ['test:faults', '--', '--short'],
  ['test:faults'],
]
const wanted = process.argv.slice(2)
const steps = wanted.length === 0 ? all : all.filter(([name]) => wanted.includes(name))
if (steps.length === 0) throw new Error(`Name some of: ${[...new Set(all.map(([name]) => name))].join(', ')}`)

const rows = []
for (const args of steps) {
  const step = args.join(' ')
  console.log(`\n== npm run ${step}`)
  const started = Date.now()
  const child = spawn('npm', ['run', ...args], {
    stdio: 'inherit',
    shell: process.platform === 'win32',
    // Tests leave nothing out (test/support/full.ts), except on every version once more.
    env: args[0] === 'test:matrix' ? process.env : { ...process.env, TEST_FULL: '1' },
  })
  const [code] = await once(child, 'close')
  rows.push({ step, code, seconds: Math.round((Date.now() - started) / 1000) })
}

console.log('\n| step | result | seconds |\n|---|---|---|')
for (const { step, code, seconds } of rows) {
  console.log(`| ${step} | ${code === 0 ? 'passed' : 'FAILED'} | ${seconds} |`)
}
process.exitCode = rows.some(({ code }) => code !== 0) ? 1 : 0
