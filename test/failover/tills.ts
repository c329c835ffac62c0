/** Tills that sell while a database fails, each through one of several services, and the audit of what they were told. */
import { randomInt } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Pool } from 'pg'
import { auditStorm, sumOf, type Tally } from '../faults/audit-storm.ts'
import { readCallLog } from '../faults/call-log.ts'
import { openMerchant } from '../faults/merchant.ts'
import { startLoad } from '../faults/processes.ts'
import type { Scene } from '../faults/scene.ts'
import { waitUntilReady } from '../faults/watch-service.ts'
import { ownSecrets, type Service } from '../support/checkout.ts'
import { outageMs } from './outage.ts'

const calmMs = 3_000
/** A request may wait for a database as long as the service gives itself, and a busy computer adds to it. */
const deadlineMs = 20_000

/** How tills reach the database. */
export interface Way {
  readonly name: string
  readonly service: Service
}

export interface Tills {
  readonly organizations: readonly string[]
  /** Waits until every service is ready again; the problems are those that are not. */
  waitForServices(timeoutMs: number): Promise<string[]>
  stop(): Promise<void>
  /** What was lost or doubled, in all organizations. */
  audit(pool: Pool): Promise<{ readonly tally: Tally; readonly problems: readonly string[] }>
  /** By way, since a moment: how long none of its callers had service. */
  outagesSince(since: number): number[]
  /** By way: how long the callers of one organization had none, of the one that was worst off. */
  longestOutagesSince(since: number, organizations: ReadonlySet<string>): number[]
}

type Load = ReturnType<typeof startLoad> & {
  readonly way: Way
  readonly organization: string
  readonly logFile: string
}

/** Opens organizations of their own, with so many callers of each by each way, and lets them sell for a while. */
export async function startTills(
  scene: Scene,
  ways: readonly Way[],
  { name, organizations, callersOfEach }: { name: string; organizations: number; callersOfEach: number },
): Promise<Tills> {
  const loads: Load[] = []
  for (let i = 0; i < organizations; i++) {
    const merchant = await openMerchant(ways[0]!.service.baseUrl, ownSecrets.ADMIN_TOKEN)
    for (const way of ways) {
      const logFile = join(scene.folder, `${name.replaceAll(/\W+/g, '-')}-${loads.length}.jsonl`)
      const plan = { seed: randomInt(1_000_000), ...merchant, customers: 4, clients: callersOfEach }
      const target = { baseUrls: [way.service.baseUrl], pauseMs: 100, logFile }
      const load = startLoad(scene.fork('load-child'), { ...plan, ...target })
      loads.push({ way, organization: merchant.organization, logFile, ...load })
    }
  }
  await Promise.all(loads.map(({ ready }) => ready))
  await sleep(calmMs)

  const callsOf = (isWanted: (load: Load) => boolean) =>
    loads.filter(isWanted).flatMap(({ logFile }) => readCallLog(logFile))
  const own = [...new Set(loads.map(({ organization }) => organization))]
  let stoppedAt = 0
  return {
    organizations: own,
    async waitForServices(timeoutMs) {
      const problems = []
      for (const { service, name } of ways)
        if ((await waitUntilReady(service.baseUrl, timeoutMs)) === undefined)
          problems.push(`${name}: the service did not come back`)
      return problems
    },
    async stop() {
      await sleep(calmMs)
      stoppedAt = Date.now()
      await Promise.all(loads.map((load) => load.finish()))
    },
    async audit(pool) {
      const serviceLog = ways.map(({ service }) => service.stdout()).join('\n')
      const audits = []
      for (const organization of own) {
        const calls = callsOf((load) => load.organization === organization)
        audits.push(await auditStorm({ pool, organization, calls, serviceLog, deadlineMs }))
      }
      return {
        tally: sumOf(audits.map(({ tally }) => tally)),
        problems: [...new Set(audits.flatMap(({ problems }) => problems))],
      }
    },
    outagesSince: (since) =>
      ways.map((way) =>
        outageMs(
          callsOf((load) => load.way === way),
          since,
          stoppedAt,
        ),
      ),
    longestOutagesSince: (since, organizations) =>
      ways.map((way) => {
        const callers = loads.filter((load) => load.way === way && organizations.has(load.organization))
        return Math.max(0, ...callers.map(({ logFile }) => outageMs(readCallLog(logFile), since, stoppedAt)))
      }),
  }
}

/** By the name of the way, as the records have it. */
export const byWay = (ways: readonly Way[], outages: readonly number[]) =>
  Object.fromEntries(ways.map(({ name }, i) => [name, inSeconds(outages[i]!)]))

export const inSeconds = (ms: number) => Number((ms / 1_000).toFixed(1))

/** What a failure did to them, as the records have it. */
export const outcomeOf = (
  ways: readonly Way[],
  { outages, tally, problems }: { outages: readonly number[]; tally: Tally; problems: readonly string[] },
) => ({
  secondsWithoutService: byWay(ways, outages),
  requests: tally.sent,
  acknowledged: tally.acknowledged,
  unknown: tally.unknown,
  found: tally.resentAndFound,
  lost: tally.lost,
  doubled: tally.doubled,
  problems,
})
