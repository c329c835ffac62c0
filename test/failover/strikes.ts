import { setTimeout as sleep } from 'node:timers/promises'
import { type Cluster, isPrimary, type Node } from './cluster.ts'

export interface Strike {
  readonly name: string
  /** Harms the cluster and resolves when it has been left to itself; what was harmed is repaired again. */
  strike(cluster: Cluster, nodes: { leader: Node; standby: Node }): Promise<void>
  /** Whether another node must be the primary afterwards. */
  readonly moves: boolean
}

/** After a standby has taken over: only then does the former primary come back. */
const laterMs = 5_000
const standbyAwayMs = 10_000
const promotionTimeoutMs = 90_000

export const strikes: readonly Strike[] = [
  {
    name: 'primary killed',
    moves: true,
    async strike(cluster, { leader }) {
      await cluster.signal(leader, 'SIGKILL')
      await waitForSuccessor(cluster, leader)
      await cluster.start(leader)
    },
  },
  {
    name: 'primary hung',
    moves: true,
    async strike(cluster, { leader }) {
      await cluster.signal(leader, 'SIGSTOP')
      await waitForSuccessor(cluster, leader)
      await cluster.signal(leader, 'SIGCONT')
    },
  },
  {
    name: 'primary cut off',
    moves: true,
    async strike(cluster, { leader }) {
      cluster.cutOff(leader, 'everybody')
      await waitForSuccessor(cluster, leader)
      cluster.reconnect(leader)
    },
  },
  {
    name: 'primary cut off together with a service',
    moves: true,
    async strike(cluster, { leader }) {
      cluster.cutOff(leader, 'the others')
      await waitForSuccessor(cluster, leader)
      cluster.reconnect(leader)
    },
  },
  {
    name: `standby stopped for ${standbyAwayMs / 1_000} s`,
    moves: false,
    async strike(cluster, { standby }) {
      await cluster.stop(standby)
      await sleep(standbyAwayMs)
      await cluster.start(standby)
    },
  },
  {
    name: 'planned switchover',
    moves: true,
    async strike(_cluster, { leader, standby }) {
      const reply = await fetch(`http://127.0.0.1:${leader.ports.rest}/switchover`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ leader: leader.name, candidate: standby.name }),
      })
      if (!reply.ok) throw new Error(`Patroni refused the switchover: ${await reply.text()}`)
    },
  },
]

async function waitForSuccessor({ nodes }: Cluster, former: Node): Promise<void> {
  const deadline = Date.now() + promotionTimeoutMs
  const others = nodes.filter((node) => node !== former)
  while (!(await Promise.all(others.map(isPrimary))).includes(true)) {
    if (Date.now() > deadline) throw new Error('No standby took over.')
    await sleep(250)
  }
  await sleep(laterMs)
}
