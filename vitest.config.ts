import { defineConfig } from 'vitest/config'
import { FailuresLast } from './test/support/failures-last.ts'
import { isFull } from './test/support/full.ts'
import { LongestFirst } from './test/support/longest-first.ts'

/** Need nothing but the tree, and are done in seconds. */
const ofUnits = ['src/**/*.test.ts', 'test/tidy*.test.ts', 'test/console/**/*.test.ts']
/** Start, kill and restore whole services and databases: `npm run test:process`. */
const ofProcesses = ['test/process/**/*.test.ts', 'test/faults/**/*.test.ts']
/** For `npm run check:full` alone; see `test/full-check.md`. */
const ofFullCheck = isFull ? [] : ['test/**/*.full.test.ts']
const ofBrowser = ['test/browser/**/*.test.ts']
/** What readers of the docs paste, on a service and a database of its own: `npm run check:operate`. */
const ofTour = ['test/tour/**/*.test.ts']

/**
 * Files of a project share processes, and with them what is loaded: to load the service anew for each of them takes
 * longer than most of them do. The timeouts are no bound of any test: they only end what hangs, on a computer that
 * may be busy with something else for seconds.
 */
const together = {
  isolate: false,
  testTimeout: 300_000,
  hookTimeout: 300_000,
  // As `npm start` gives the service more: what a request leaves behind is then gone before it is copied.
  execArgv: ['--max-semi-space-size=64'],
}

const withQuickPasswords = {
  alias: { '@node-rs/argon2': `${import.meta.dirname}/test/support/quick-argon2.ts` },
}

export default defineConfig({
  test: {
    // One more than most computers of a pipeline have: many tests wait for a process, a timeout or the disk.
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    reporters: [
      'default',
      new FailuresLast(),
      ...(process.env.TEST_RECORD ? ['./test/support/record-run.ts'] : []),
    ],
    projects: [
      { test: { name: 'unit', include: ofUnits, ...together } },
      {
        resolve: withQuickPasswords,
        test: {
          name: 'service',
          include: ['test/**/*.test.ts'],
          exclude: [...ofUnits, ...ofProcesses, ...ofBrowser, ...ofTour, ...ofFullCheck],
          globalSetup: ['test/support/build-service.ts', 'test/support/postgres-server.ts'],
          ...together,
        },
      },
      {
        resolve: withQuickPasswords,
        test: {
          name: 'process',
          include: ofProcesses,
          exclude: ofFullCheck,
          globalSetup: ['test/support/build-service.ts', 'test/support/postgres-server.ts'],
          ...together,
        },
      },
      {
        test: {
          name: 'tour',
          include: ofTour,
          globalSetup: ['test/support/build-service.ts'],
          sequence: { groupOrder: 2 },
          ...together,
        },
      },
      {
        test: {
          name: 'browser',
          include: ofBrowser,
          exclude: ofFullCheck,
          globalSetup: ['test/support/build-service.ts', 'test/browser/running-service.ts'],
          // Each has a service with a filled demo to itself, and a browser that keeps a processor busy.
          maxWorkers: 2,
          sequence: { groupOrder: 1 },
          isolate: false,
          testTimeout: 60_000,
          hookTimeout: 60_000,
          expect: { poll: { timeout: 20_000 } },
        },
      },
    ],
  },
})
