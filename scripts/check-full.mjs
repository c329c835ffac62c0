// Everything that must pass before a release: `npm run check`, and the checks that are too slow for every
// change. Continues after a failure, and reports at the end how long each step took.
import { spawn } from 'node:child_process'
import { once } from 'node:events'

const steps = [
  ['check'],
  ['check:platforms'],
  ['test:matrix'],
  ['test:faults', '--', '--short'],
  ['test:faults'],
]

const rows = []
for (const args of steps) {
  const step = args.join(' ')
  console.log(`\n== npm run ${step}`)
  const started = Date.now()
  const child = spawn('npm', ['run', ...args], {
    stdio: 'inherit',
    shell: process.platform === 'win32',
    // The browser tests look at each page in every size, color scheme and language.
    env: { ...process.env, TEST_LOOKS: 'all' },
  })
  const [code] = await once(child, 'close')
  rows.push({ step, code, seconds: Math.round((Date.now() - started) / 1000) })
}

console.log('\n| step | result | seconds |\n|---|---|---|')
for (const { step, code, seconds } of rows) {
  console.log(`| ${step} | ${code === 0 ? 'passed' : 'FAILED'} | ${seconds} |`)
}
process.exitCode = rows.some(({ code }) => code !== 0) ? 1 : 0
