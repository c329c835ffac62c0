// Bundles the service, the jobs and the command line into one file, because Node 20 cannot run TypeScript and
// a bundle starts in a third of the time that a loader which compiles on the fly takes. Then builds the
// browser pages. Without the development packages (an image built with --omit=dev), an existing bundle is
// kept.
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { buildWeb } from './scripts/build-web.mjs'
import { bundle } from './scripts/bundle.mjs'
import { complainAboutNode, explainMissingPackage } from './src/check-installation.mjs'

const root = fileURLToPath(new URL('.', import.meta.url))

const complaint = complainAboutNode()
if (complaint) refuse(complaint)

const esbuild = await import('esbuild').catch(() => undefined)
if (!esbuild) {
  if (existsSync(`${root}dist/main.js`)) process.exit(0)
  refuse('The service is not built and esbuild is not installed. Run: npm ci --include=dev')
}

try {
  await esbuild.build(bundle)
  await buildWeb()
} catch (error) {
  const reason = explainMissingPackage(error)
  if (!reason) throw error
  refuse(reason)
}

function refuse(reason) {
  console.error(reason)
  process.exit(1)
}
