import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    // They need a browser; see vitest.browser.config.ts.
    exclude: ['test/browser/**', 'node_modules/**'],
    globalSetup: ['test/support/postgres-server.ts'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
  },
})
