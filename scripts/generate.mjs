// Writes the generated files of the project: openapi.json, docs/errors.md, schema.sql and the figures in docs/guides.
//   npm run generate             writes them
//   npm run generate -- --check  fails if one of them is stale
// Node 20 cannot run TypeScript, so the generator is bundled first, like the service itself.
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const outfile = fileURLToPath(new URL('../dist/generate.js', import.meta.url))
await build({
  entryPoints: [fileURLToPath(new URL('generate-files.ts', import.meta.url))],
  outfile,
  bundle: true,
  packages: 'external',
  platform: 'node',
  format: 'esm',
  target: 'node20',
  logLevel: 'warning',
})
await import(outfile)
