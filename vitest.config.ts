import { defineConfig } from 'vitest/config'
import { LongestFirst } from './test/support/longest-first.ts'

/** No bound of any test: they only end what hangs, on a computer that may be busy with something else for seconds. */
const patience = { testTimeout: 300_000, hookTimeout: 300_000 }

/** Files that share a process share its modules too: to load the service anew for each of them takes longer than most. */
const together = { ...patience, isolate: false }

const withDatabase = { globalSetup: ['test/support/postgres-server.ts'] }

/** Start processes of their own, wait for them, and kill them. */
const ofProcesses = [
  'test/{cli,faults,process}/**/*.test.ts',
  'test/database/{app-role,embedded-postgres}.test.ts',
  'test/limits/guesses-of-workers.test.ts',
  'test/secrets/{nothing-in-clear,pepper}.test.ts',
]
/** Hold for every call that the document names. */
const ofContract = ['test/abuse/**/*.test.ts', 'test/http/{documented-replies,openapi,schema-texts}.test.ts']
/** Need nothing but the tree. */
const ofUnits = ['src/**/*.test.ts', 'test/tidy*.test.ts', 'test/console/**/*.test.ts']
const ofBrowser = ['test/browser/**/*.test.ts']

export default defineConfig({
  test: {
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    projects: [
      { test: { name: 'unit', include: ofUnits, ...together } },
      {
        test: {
          name: 'api',
          include: ['test/**/*.test.ts'],
          exclude: [...ofUnits, ...ofContract, ...ofProcesses, ...ofBrowser],
          ...withDatabase,
          ...together,
        },
      },
      { test: { name: 'contract', include: ofContract, ...withDatabase, ...together } },
      {
        test: {
          name: 'process',
          include: ofProcesses,
          globalSetup: ['test/support/build-service.ts', ...withDatabase.globalSetup],
          ...together,
        },
      },
      {
        test: {
          name: 'browser',
          include: ofBrowser,
          globalSetup: ['test/support/build-service.ts', 'test/browser/running-service.ts'],
          testTimeout: 60_000,
          hookTimeout: 60_000,
          expect: { poll: { timeout: 20_000 } },
        },
      },
    ],
  },
})
