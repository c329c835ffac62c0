// Builds the SDK into sdk/dist: JavaScript and types. Prints how large it is, compressed, and fails if that is more
// than a page should have to load.
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { writeClientTypes } from './build-web.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const sdk = join(root, 'sdk')
const mostBytes = 10_000

if (!existsSync(join(sdk, 'src/api.ts'))) await writeClientTypes()
await rm(join(sdk, 'dist'), { recursive: true, force: true })
const tsc = join(createRequire(import.meta.url).resolve('typescript/package.json'), '../bin/tsc')
execFileSync(process.execPath, [tsc, '-p', sdk], { stdio: 'inherit' })

const { outputFiles } = await build({
  entryPoints: [join(sdk, 'dist/index.js')],
  bundle: true,
  minify: true,
  write: false,
  format: 'esm',
  platform: 'neutral',
})
const plain = gzipSync(outputFiles[0].contents).length
console.log(`The SDK is ${plain.toLocaleString('en')} bytes, bundled and compressed.`)
if (plain > mostBytes) {
  console.error(`More than ${mostBytes.toLocaleString('en')}.`)
  process.exitCode = 1
}
