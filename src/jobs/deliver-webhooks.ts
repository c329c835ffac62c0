/**
 * Sends events to webhooks. Twice a second a process asks which webhooks have something to send, and takes a turn
 * with each. Each has its own turn, an organization only so many at a time, and those that fail only half of them all:
 * neither a slow receiver nor a thousand of them hold up others, nor one that many organizations send to.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import pLimit from 'p-limit'
import type { Deps } from '../operations/deps.ts'
import { createSender, type SenderOptions } from '../operations/outbound/send.ts'
import { deliverTurn } from '../operations/webhooks/deliver.ts'
import { platformTenant } from '../store/tenant.ts'
import { type DueWebhook, findWebhookFigures, listDueWebhooks } from '../store/webhooks.ts'
import type { Jobs } from './run-jobs.ts'

export interface DeliveriesOptions extends Partial<SenderOptions> {
  readonly pauseMs?: number
  readonly maxRunning?: number
}

/** Webhooks that a process sends to at a time. */
const defaultMaxRunning = 256
const maxRunningOfOrganization = 16
/** The share for those that fail. Many of them wait for a receiver for as long as it may take. */
const shareOfFailing = 0.5
/** Turns that use the database at a time: most of its connections are for requests. */
const maxUsingDatabase = 3
/** Looking takes longer the more webhooks there are; it is never done for more than this share of the time. */
const shareOfLooking = 0.05
/** While nobody has anything to send. */
const longestPauseMs = 2_000
const countPauseMs = 15_000

export function startDeliveries(
  deps: Deps,
  { pauseMs = 500, maxRunning = defaultMaxRunning, ...options }: DeliveriesOptions = {},
): Jobs {
  const abort = new AbortController()
  const { signal } = abort
  const sender = createSender({ addresses: deps.addresses, ...options })
  const tools = { deps, send: sender.send, inTurn: pLimit(maxUsingDatabase), signal }
  const running = new Map<string, DueWebhook & { readonly done: Promise<void> }>()

  async function look(): Promise<number> {
    const due = await listDueWebhooks(platformTenant(deps.pool), deps.clock(), {
      perOrganization: maxRunningOfOrganization,
      limit: maxRunning,
    })
    for (const webhook of due) {
      const { org, id } = webhook
      if (running.has(id) || !isRoomFor(webhook, [...running.values()], maxRunning)) continue
      const turn = () => deliverTurn(tools, org, id)
      const done = (deps.tracer ? deps.tracer.run({ name: 'webhook turn' }, turn) : turn())
        .catch((error) => deps.log.error({ err: error, webhook: id }, 'sending to a webhook failed'))
        .then(() => {
          running.delete(id)
        })
      running.set(id, { ...webhook, done })
    }
    return due.length
  }

  const count = countNowAndThen(deps)
  const shorterOfTwo = createShorterOfTwo()
  const loop = async () => {
    let pause = pauseMs
    while (!signal.aborted) {
      const start = performance.now()
      try {
        const found = await look()
        await count()
        pause = found > 0 ? pauseMs : Math.min(pause * 1.5, Math.max(pauseMs, longestPauseMs))
      } catch (error) {
        deps.log.warn({ err: error }, 'looking for webhooks failed, will retry')
        pause = longestPauseMs
      }
      const looked = shorterOfTwo(performance.now() - start)
      await sleep(Math.max(pause, looked / shareOfLooking), undefined, { signal }).catch(() => {})
    }
  }

  const done = loop()
  return {
    async stop() {
      abort.abort()
      // Ends what waits for a receiver; its delivery is made again by the next process.
      sender.close()
      await done
      await Promise.all([...running.values()].map((turn) => turn.done))
    },
  }
}

function isRoomFor(webhook: DueWebhook, turns: readonly DueWebhook[], maxRunning: number): boolean {
  const isWithin = (some: readonly DueWebhook[], most: number) => {
    const failing = some.filter(({ isFailing }) => isFailing)
    return some.length < most && !(webhook.isFailing && failing.length >= most * shareOfFailing)
  }
  const ofOrganization = turns.filter(({ org }) => org === webhook.org)
  return isWithin(turns, maxRunning) && isWithin(ofOrganization, maxRunningOfOrganization)
}

/** The shorter of this time and the one before: a look that something else has held up says nothing about the next. */
function createShorterOfTwo(): (ms: number) => number {
  let before = 0
  return (ms) => {
    const shorter = Math.min(ms, before)
    before = ms
    return shorter
  }
}

/** For the metrics. */
function countNowAndThen({ pool, clock, workCounts }: Deps): () => Promise<void> {
  let countedAt = Number.NEGATIVE_INFINITY
  return async () => {
    if (performance.now() < countedAt + countPauseMs) return
    countedAt = performance.now()
    workCounts.webhooks = await findWebhookFigures(platformTenant(pool), clock())
  }
}
