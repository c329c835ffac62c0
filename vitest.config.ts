import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    // They need a browser; see vitest.browser.config.ts.
    exclude: ['test/browser/**', 'node_modules/**'],
    globalSetup: ['test/support/postgres-server.ts'],
    // No bound of any test: they only end what hangs, on a computer that may be busy with something else for seconds.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    maxWorkers: 2,
  },
})
