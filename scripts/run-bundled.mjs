// Bundles a program of the tests and runs it, because Node 20 cannot run TypeScript:
//   node scripts/run-bundled.mjs test/faults/run.ts --short
import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const root = fileURLToPath(new URL('..', import.meta.url))
const [program, ...args] = process.argv.slice(2)
// Inside the package, so that the bundle finds what is installed.
const folder = await mkdtemp(`${root}node_modules/.bundled-run-`)
const outfile = `${folder}/run.mjs`
await build({
  entryPoints: [`${root}${program}`],
  outfile,
  bundle: true,
  packages: 'external',
  platform: 'node',
  format: 'esm',
  target: 'node20',
  sourcemap: 'inline',
})
const run = spawn(process.execPath, ['--enable-source-maps', outfile, ...args], { stdio: 'inherit' })
// The terminal sends Ctrl-C to both: the program has processes of its own to end first.
process.on('SIGINT', () => {})
process.on('SIGTERM', () => run.kill('SIGTERM'))
run.on('exit', async (code) => {
  await rm(folder, { recursive: true, force: true })
  process.exitCode = code ?? 1
})
