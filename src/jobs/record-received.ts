/** Records what other systems have sent. Every second a process looks which organizations have got something. */
import type { Deps } from '../operations/deps.ts'
import { type Jobs, type QuickOptions, runRound, startRounds } from './run-jobs.ts'

/** Organizations that a process records for at a time: a turn may wait for Square. */
const atOnce = 5

export const startReceiving = (deps: Deps, options: QuickOptions = {}): Jobs =>
  startRounds(
    deps,
    options,
    (signal) => receiveRound(deps, signal),
    'looking for received messages failed, will retry',
  )

/** Tests call it instead of waiting for the loop. */
export const receiveRound = (deps: Deps, signal?: AbortSignal): Promise<void> =>
  runRound(deps, { signal, kinds: ['receiving'], atOnce })
