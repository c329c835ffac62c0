// Bundles the service, the worker and the command line into one file: Node 20 cannot run TypeScript,
// and a bundle starts in a third of the time of a loader that compiles on the fly. Then the pages in the browser.
// Without the development packages (an image built with --omit=dev) an existing bundle is kept as it is.
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { buildWeb } from './scripts/build-web.mjs'

const root = fileURLToPath(new URL('.', import.meta.url))
const outfile = `${root}dist/loyalty-wallet.js`

const esbuild = await import('esbuild').catch(() => undefined)
if (!esbuild) {
  if (existsSync(outfile)) process.exit(0)
  console.error('The service is not built and esbuild is not installed. Run: npm ci --include=dev')
  process.exit(1)
}

// Packages stay outside, but for typebox: its hundreds of small files cost 0.3 s of every start.
const leavePackagesOutside = {
  name: 'leave-packages-outside',
  setup(build) {
    build.onResolve({ filter: /^[^./]/ }, ({ path }) =>
      /^typebox(\/|$)/.test(path) ? undefined : { path, external: true },
    )
  },
}

await esbuild.build({
  entryPoints: [`${root}src/main.ts`],
  outfile,
  bundle: true,
  plugins: [leavePackagesOutside],
  platform: 'node',
  format: 'esm',
  target: 'node20',
  sourcemap: true,
  legalComments: 'none',
  logLevel: 'warning',
  banner: { js: '#!/usr/bin/env node' },
})

await buildWeb()
