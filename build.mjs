// Bundles the service, the worker and the command line into one file: Node 20 cannot run TypeScript,
// and a bundle starts in a third of the time of a loader that compiles on the fly. Then the pages in the browser.
// Without the development packages (an image built with --omit=dev) an existing bundle is kept as it is.
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { buildWeb } from './scripts/build-web.mjs'
import { complainAboutNode, explainMissingPackage } from './src/check-installation.mjs'

const root = fileURLToPath(new URL('.', import.meta.url))

const complaint = complainAboutNode()
if (complaint) refuse(complaint)

const esbuild = await import('esbuild').catch(() => undefined)
if (!esbuild) {
  if (existsSync(`${root}dist/main.js`)) process.exit(0)
  refuse('The service is not built and esbuild is not installed. Run: npm ci --include=dev')
}

// Packages stay outside, but for typebox: its hundreds of small files cost 0.3 s of every start. What is imported
// on demand stays outside as well: the entry has to be loaded without the rest.
const leaveOutside = {
  name: 'leave-outside',
  setup(build) {
    build.onResolve({ filter: /^[^./]/ }, ({ path }) =>
      /^typebox(\/|$)/.test(path) ? undefined : { path, external: true },
    )
    build.onResolve({ filter: /^\.\/main\.ts$/ }, ({ kind }) =>
      kind === 'dynamic-import' ? { path: './main.js', external: true } : undefined,
    )
  },
}

try {
  await esbuild.build({
    entryPoints: [`${root}src/loyalty-wallet.mjs`, `${root}src/main.ts`],
    outdir: `${root}dist`,
    bundle: true,
    plugins: [leaveOutside],
    platform: 'node',
    format: 'esm',
    target: 'node20',
    sourcemap: true,
    // Lines of stacks need the names of the sources and not their text, which is two thirds of the file.
    sourcesContent: false,
    legalComments: 'none',
    logLevel: 'warning',
  })
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
