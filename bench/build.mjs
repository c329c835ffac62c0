// Bundles the parts of the benchmark, which run as separate processes.
import { build } from 'esbuild'

await build({
  entryPoints: [
    'run',
    'neighbors',
    'organizations',
    'cost',
    'backup',
    'backtest',
    'import',
    'server',
    'echo',
    'load-client',
    'slow-proxy',
  ].map((name) => `bench/${name}.ts`),
  outdir: 'dist/bench',
  bundle: true,
  packages: 'external',
  platform: 'node',
  format: 'esm',
  target: 'node20',
  sourcemap: true,
  logLevel: 'warning',
})
