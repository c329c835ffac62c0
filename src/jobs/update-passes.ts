/** Keeps passes in wallets up to date. Once a second a process asks which organizations have something to tell. */
import { setTimeout as sleep } from 'node:timers/promises'
import pLimit from 'p-limit'
import type { Deps } from '../operations/deps.ts'
import { type ApplePushOptions, createApplePush } from '../operations/passes/apple-push.ts'
import { reportInstallationKeys } from '../operations/passes/pass-keys.ts'
import { updatePassesTurn } from '../operations/passes/update-passes.ts'
import { listDueFeeds } from '../store/pass-feeds.ts'
import { platformTenant } from '../store/tenant.ts'
import type { Jobs } from './run-jobs.ts'

export interface PassUpdatesOptions extends Partial<ApplePushOptions> {
  readonly pauseMs?: number
}

/** Organizations whose passes a process updates at a time. */
const maxRunning = 32
/** Turns that use the database at a time: most of its connections are for requests. */
const maxUsingDatabase = 2
/** Looking takes longer the more organizations have passes; it is never done for more than this share of the time. */
const shareOfLooking = 0.05
/** While nobody has anything to tell. */
const longestPauseMs = 3_000

export function startPassUpdates(deps: Deps, { pauseMs = 1_000, ...options }: PassUpdatesOptions = {}): Jobs {
  const abort = new AbortController()
  const { signal } = abort
  const applePush = createApplePush({ url: deps.passes.hosts.applePush, ...options })
  const tools = { deps, applePush, inTurn: pLimit(maxUsingDatabase), signal }
  const running = new Map<number, Promise<void>>()
  reportInstallationKeys(deps)

  async function look(): Promise<number> {
    const due = await listDueFeeds(platformTenant(deps.pool), deps.clock(), maxRunning)
    for (const org of due) {
      if (running.has(org) || running.size >= maxRunning) continue
      const turn = () => updatePassesTurn(tools, org)
      const done = (deps.tracer ? deps.tracer.run({ name: 'pass turn' }, turn) : turn())
        .catch((error) => deps.log.error({ err: error, org }, 'updating passes failed'))
        .then(() => {
          running.delete(org)
        })
      running.set(org, done)
    }
    return due.length
  }

  const loop = async () => {
    let pause = pauseMs
    while (!signal.aborted) {
      const start = performance.now()
      try {
        pause = (await look()) > 0 ? pauseMs : Math.min(pause * 1.5, Math.max(pauseMs, longestPauseMs))
      } catch (error) {
        deps.log.warn({ err: error }, 'looking for changed passes failed, will retry')
        pause = longestPauseMs
      }
      const looked = performance.now() - start
      await sleep(Math.max(pause, looked / shareOfLooking), undefined, { signal }).catch(() => {})
    }
  }

  const done = loop()
  return {
    async stop() {
      abort.abort()
      // Ends what waits for an answer; the next process tells it again.
      applePush.close()
      await done
      await Promise.all(running.values())
    },
  }
}
