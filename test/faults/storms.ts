import type { Outcome, Storm } from './storm.ts'

const hourMs = 3_600_000

/** That the fault did what it was meant to, in the words of the service. */
const logged =
  (words: RegExp) =>
  ({ serviceLog }: Outcome) =>
    words.test(serviceLog) ? [] : [`the service did not log ${words}`]

export const storms: readonly Storm[] = [
  {
    name: 'service killed',
    everyTime: true,
    database: 'embedded',
    organizations: 4,
    fault: ({ pidFile }) => ({ kind: 'signal', pidFile, signal: 'SIGKILL' }),
    ends: { code: null, signal: 'SIGKILL' },
    pauseMs: 1_500,
    shortMs: 1_600,
  },
  {
    name: 'PostgreSQL crashed',
    database: 'embedded',
    organizations: 12,
    clients: 24,
    sharesTransactions: true,
    fault: ({ folder }) => ({ kind: 'crash-postgres', folder }),
    turnsUnready: true,
    alsoIdle: true,
    pauseMs: 1_500,
    shortMs: 1_600,
  },
  {
    name: 'a backend killed',
    database: 'embedded',
    fault: ({ connection }) => ({ kind: 'kill-backend', connection }),
    turnsUnready: true,
    alsoIdle: true,
    pauseMs: 1_000,
    shortMs: 1_100,
  },
  {
    name: 'all connections terminated',
    database: 'external',
    organizations: 12,
    clients: 24,
    sharesTransactions: true,
    fault: ({ connection }) => ({ kind: 'terminate', connection, everyMs: 200 }),
    alsoIdle: true,
    pauseMs: 0,
    shortMs: 2_000,
  },
  {
    name: 'database unreachable',
    database: 'proxied',
    fault: ({ socketPath }) => ({ kind: 'proxy', socketPath, mode: { kind: 'unreachable' }, holdMs: 1_000 }),
    turnsUnready: true,
    pauseMs: 500,
    shortMs: 0,
  },
  {
    name: 'database slow',
    database: 'proxied',
    fault: ({ socketPath }) => ({
      kind: 'proxy',
      socketPath,
      mode: { kind: 'slow', delayMs: 150 },
      holdMs: 1_500,
    }),
    pauseMs: 500,
    shortMs: 0,
  },
  {
    name: 'database stalled',
    database: 'proxied',
    // So many that baskets of the busiest customers queue behind each other.
    clients: 64,
    fault: ({ socketPath }, form) => ({
      kind: 'proxy',
      socketPath,
      mode: { kind: 'stall' },
      holdMs: form === 'short' ? 11_000 : 30_000,
    }),
    turnsUnready: true,
    pauseMs: 500,
    shortMs: 0,
  },
  {
    name: 'answers to COMMIT cut off',
    database: 'proxied',
    organizations: 12,
    clients: 24,
    sharesTransactions: true,
    fault: ({ socketPath }) => ({
      kind: 'proxy',
      socketPath,
      mode: { kind: 'cut', share: 0.05 },
      holdMs: 2_000,
    }),
    cutsAnswers: true,
    pauseMs: 200,
    shortMs: 0,
    check: ({ cuts }) => (cuts > 0 ? [] : ['nothing was cut off']),
  },
  {
    name: 'disk full',
    database: 'small-disk',
    fault: ({ folder, connection }) => ({ kind: 'fill-disk', folder, connection, holdMs: 2_000 }),
    turnsUnready: true,
    goesOnReading: true,
    pauseMs: 1_000,
    shortMs: 0,
    check: ({ tally, readsWhileAway }) => [
      ...(tally.answers503 > 0 ? [] : ['the full disk refused nothing']),
      ...(readsWhileAway.answered > 0 && readsWhileAway.failed === 0
        ? []
        : [`reads did not go on: ${JSON.stringify(readsWhileAway)}`]),
    ],
  },
  {
    name: 'disk full, and no room for the log',
    database: 'small-disk',
    fault: ({ folder, connection }) => ({
      kind: 'fill-disk',
      folder,
      connection,
      holdMs: 2_000,
      breaksLog: true,
    }),
    turnsUnready: true,
    pauseMs: 1_000,
    shortMs: 0,
    check: logged(/PostgreSQL exited unexpectedly, restarting/),
  },
  {
    name: 'two services, one killed',
    database: 'external',
    services: 2,
    organizations: 4,
    fault: ({ pidFile }) => ({ kind: 'signal', pidFile, signal: 'SIGKILL' }),
    ends: { code: null, signal: 'SIGKILL' },
    pauseMs: 1_500,
    shortMs: 0,
  },
  {
    name: 'two workers, one killed',
    database: 'external',
    settings: { WORKERS: '2' },
    losesWorkers: true,
    fault: ({ pidFile }) => ({ kind: 'kill-worker', pidFile }),
    pauseMs: 4_000,
    shortMs: 0,
    check: logged(/worker exited, restarting/),
  },
  {
    name: 'two workers, all connections terminated',
    database: 'external',
    settings: { WORKERS: '2' },
    organizations: 4,
    fault: ({ connection }) => ({ kind: 'terminate', connection, everyMs: 200 }),
    pauseMs: 0,
    shortMs: 1_500,
  },
  {
    name: 'told to stop under load',
    database: 'external',
    fault: ({ pidFile }) => ({ kind: 'signal', pidFile, signal: 'SIGTERM' }),
    ends: { code: 0, signal: null, withinMs: 10_000 },
    pauseMs: 1_500,
    shortMs: 0,
    // What was taken was finished and answered: nothing was done that its caller does not know of.
    check: ({ tally }) =>
      tally.resentAndFound === 0 ? [] : [`${tally.resentAndFound} calls were done and not answered`],
  },
  {
    name: 'told to stop in a stall',
    database: 'proxied',
    fault: ({ socketPath, pidFile }) => ({ kind: 'stop-in-stall', socketPath, pidFile }),
    ends: { code: 0, signal: null, withinMs: 10_000 },
    pauseMs: 1_500,
    shortMs: 0,
  },
  {
    name: 'clock wrong',
    database: 'external',
    fault: ({ clockFile }) => ({
      kind: 'clock',
      file: clockFile,
      offsetsMs: [hourMs, -hourMs, 0, -1_000, -2_000, 500, -60_000, 0],
      holdMs: 250,
    }),
    pauseMs: 200,
    shortMs: 0,
  },
]
