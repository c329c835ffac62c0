/**
 * Sends messages. Every second a process looks which organizations have some that are due, or new events that
 * messages are about, and takes a turn with each. A slow mail server holds up only its own organization.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Deps } from '../operations/deps.ts'
import { upsertDueWork } from '../store/due-work.ts'
import { listMessageReaders } from '../store/senders.ts'
import { platformTenant, tenantOf } from '../store/tenant.ts'
import { type Jobs, runRound } from './run-jobs.ts'

export interface SendingOptions {
  readonly pauseMs?: number
}

/** Organizations that a process sends for at a time: their turns mostly wait for a mail server. */
const atOnce = 20
const readersAtOnce = 100
const pauseAfterFailureMs = 5_000

export function startSending(deps: Deps, { pauseMs = 1_000 }: SendingOptions = {}): Jobs {
  const abort = new AbortController()
  const { signal } = abort
  const loop = async () => {
    while (!signal.aborted) {
      let pause = pauseMs
      try {
        await sendRound(deps, signal)
      } catch (error) {
        deps.log.warn({ err: error }, 'looking for messages failed, will retry')
        pause = pauseAfterFailureMs
      }
      await sleep(pause * (0.5 + Math.random()), undefined, { signal }).catch(() => {})
    }
  }
  const done = loop()
  return {
    async stop() {
      abort.abort()
      await done
    },
  }
}

/** Tests call it instead of waiting for the loop. */
export async function sendRound(deps: Deps, signal?: AbortSignal): Promise<void> {
  const now = deps.clock()
  for (const org of await listMessageReaders(platformTenant(deps.pool), readersAtOnce)) {
    await upsertDueWork(tenantOf(deps.pool, org), [{ kind: 'sending', at: now }], now)
  }
  await runRound(deps, { signal, kinds: ['sending'], atOnce })
}
