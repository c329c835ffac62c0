import { expect, test } from 'vitest'
import type { ClusterState } from '../database/distribute.ts'
import { describeCluster, describeDirectWay } from './check-cluster.ts'

const whole: ClusterState = {
  version: '13.2-1',
  nodes: 3,
  isDistributed: true,
  missing: [],
  lost: [],
  cutOff: [],
}

test.each([
  { what: 'one server', state: undefined, isDirect: false, found: undefined },
  {
    what: 'one server with CLUSTER_DIRECT',
    state: undefined,
    isDirect: true,
    found: {
      status: 'warning',
      message: /CLUSTER_DIRECT has no effect/,
      advice: /^Remove CLUSTER_DIRECT\.$/,
    },
  },
  {
    what: 'servers on which nothing is distributed',
    state: { ...whole, isDistributed: false, missing: ['setup_versions', 'wallets'] },
    isDirect: false,
    found: { status: 'warning', message: /^Citus 13\.2-1 is here/, advice: /run loyalty-wallet distribute/ },
  },
  {
    what: 'a table that an upgrade has added',
    state: { ...whole, missing: ['coupons', 'lots'] },
    isDirect: true,
    found: { status: 'problem', message: /^on this server only: coupons, lots$/, advice: /distribute/ },
  },
  {
    what: 'a node that is not running',
    state: { ...whole, lost: ['worker-1:5432'], cutOff: ['worker-2:5432'] },
    isDirect: true,
    found: {
      status: 'problem',
      message: /^no node reaches worker-1:5432 as loyalty_wallet_app$/,
      advice: /^Start it, or put its standby in its place/,
    },
  },
  {
    what: 'a node that cannot reach another one',
    state: { ...whole, cutOff: ['worker-1:5432'] },
    isDirect: true,
    found: {
      status: 'problem',
      message: /as loyalty_wallet_app from worker-1:5432$/,
      advice: /pg_hba\.conf/,
    },
  },
  {
    what: 'a cluster',
    state: whole,
    isDirect: true,
    found: { status: 'ok', message: /^Citus 13\.2-1, 3 nodes$/, advice: undefined },
  },
])('the doctor says what it thinks of $what', ({ state, isDirect, found }) => {
  const findings = describeCluster(state, isDirect)
  if (!found) return expect(findings).toEqual([])
  expect(findings).toEqual([
    {
      check: 'cluster',
      status: found.status,
      message: expect.stringMatching(found.message),
      ...(found.advice && { advice: expect.stringMatching(found.advice) }),
    },
  ])
})

test('the doctor names the nodes that cannot be used directly, with the reason', () => {
  expect(describeDirectWay([])).toEqual({
    check: 'direct',
    status: 'ok',
    message: 'all nodes can be used directly',
  })
  expect(describeDirectWay(['worker-1:5432 (no route)', 'worker-2:5432 (timeout)'])).toEqual({
    check: 'direct',
    status: 'warning',
    message: 'cannot be used directly: worker-1:5432 (no route), worker-2:5432 (timeout)',
    advice: expect.stringMatching(/pg_hba\.conf/),
  })
})
