// The esbuild options for the build and for `npm run dev`.
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))

// Packages stay external, except typebox: its hundreds of small files cost 0.3 s of every start. What the
// entry imports on demand stays external as well, because the entry has to load without the rest.
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

export const bundle = {
  entryPoints: [`${root}src/loyalty-wallet.mjs`, `${root}src/main.ts`],
  outdir: `${root}dist`,
  bundle: true,
  plugins: [leaveOutside],
  platform: 'node',
  format: 'esm',
  target: 'node20',
  sourcemap: true,
  // Stack traces need the names of the sources but not their text, which is two thirds of the file.
  sourcesContent: false,
  legalComments: 'none',
  logLevel: 'warning',
}
