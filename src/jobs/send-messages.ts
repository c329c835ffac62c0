/**
 * Sends messages. Every second a process looks which organizations have some that are due, or new events that
 * messages are about, and takes a turn with each. A slow mail server holds up only its own organization.
 */
import type { Deps } from '../operations/deps.ts'
import { upsertDueWork } from '../store/due-work.ts'
import { listMessageReaders } from '../store/senders.ts'
import { platformTenant, tenantOf } from '../store/tenant.ts'
import { type Jobs, type QuickOptions, runRound, startRounds } from './run-jobs.ts'

/** Organizations that a process sends for at a time: their turns mostly wait for a mail server. */
const atOnce = 20
const readersAtOnce = 100

export const startSending = (deps: Deps, options: QuickOptions = {}): Jobs =>
  startRounds(deps, options, (signal) => sendRound(deps, signal), 'looking for messages failed, will retry')

/** Tests call it instead of waiting for the loop. */
export async function sendRound(deps: Deps, signal?: AbortSignal): Promise<void> {
  const now = deps.clock()
  for (const org of await listMessageReaders(platformTenant(deps.pool), readersAtOnce)) {
    await upsertDueWork(tenantOf(deps.pool, org), [{ kind: 'sending', at: now }], now)
  }
  await runRound(deps, { signal, kinds: ['sending'], atOnce })
}
