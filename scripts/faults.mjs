// Bundles the long form of the fault tests and runs it: Node 20 cannot run TypeScript.
import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const root = fileURLToPath(new URL('..', import.meta.url))
// Inside the package, so that the bundle finds what is installed.
const folder = await mkdtemp(`${root}node_modules/.faults-run-`)
const outfile = `${folder}/run.mjs`
await build({
  entryPoints: [`${root}test/faults/run.ts`],
  outfile,
  bundle: true,
  packages: 'external',
  platform: 'node',
  format: 'esm',
  target: 'node20',
  sourcemap: 'inline',
})
const run = spawn(process.execPath, ['--enable-source-maps', outfile, ...process.argv.slice(2)], {
  stdio: 'inherit',
})
run.on('exit', async (code) => {
  await rm(folder, { recursive: true, force: true })
  process.exitCode = code ?? 1
})
