// Bundles the service, the jobs and the command line into one file, because Node 20 cannot run TypeScript and
// a bundle starts in a third of the time that a loader which compiles on the fly takes. Then builds the
// browser pages. Without the development packages (an image built with --omit=dev), an existing bundle is
// kept. With --for-tests, also builds one with the packages inside; with --for-release, compresses the pages as far
// as it goes.
import { existsSync } from 'node:fs'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildWeb } from './scripts/build-web.mjs'
import { bundle, wholeBundle } from './scripts/bundle.mjs'
import { complainAboutNode, explainMissingPackage } from './src/check-installation.mjs'

const root = fileURLToPath(new URL('.', import.meta.url))

const isRelease = process.argv.includes('--for-release')

const complaint = complainAboutNode()
if (complaint) refuse(complaint)

const esbuild = await import('esbuild').catch(() => undefined)
if (!esbuild) {
  if (existsSync(`${root}dist/main.js`) && !isRelease) process.exit(0)
  refuse('The service is not built and esbuild is not installed. Run: npm ci --include=dev')
}

try {
  for (const options of process.argv.includes('--for-tests') ? [bundle, wholeBundle] : [bundle]) {
    const { outputFiles } = await esbuild.build({ ...options, write: false })
    for (const file of outputFiles) await replace(file)
  }
  await buildWeb({ isRelease })
} catch (error) {
  const reason = explainMissingPackage(error)
  if (!reason) throw error
  refuse(reason)
}

/**
 * Leaves a file that is the same alone, and replaces another in one step: a service may be starting from it while
 * it is built again.
 */
async function replace({ path, contents }) {
  const present = await readFile(path).catch(() => undefined)
  if (present?.equals(contents)) return
  await mkdir(dirname(path), { recursive: true })
  // As esbuild does: a file that names its program can be run.
  const mode = contents[0] === 0x23 ? 0o755 : 0o644
  await writeFile(`${path}.${process.pid}`, contents, { mode })
  await rename(`${path}.${process.pid}`, path)
}

function refuse(reason) {
  console.error(reason)
  process.exit(1)
}
