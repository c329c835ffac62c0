// Bundles the parts of the benchmark, which run as separate processes.
import { build } from 'esbuild'

await build({
  entryPoints: ['bench/run.ts', 'bench/neighbors.ts', 'bench/server.ts', 'bench/load-client.ts'],
  outdir: 'dist/bench',
  bundle: true,
  packages: 'external',
  platform: 'node',
  format: 'esm',
  target: 'node20',
  sourcemap: true,
  logLevel: 'warning',
})
