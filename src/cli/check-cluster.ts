/** The doctor's check of a Citus cluster. */
import type { Client } from 'pg'
import type { Config } from '../config.ts'
import { appRole } from '../database/app-role.ts'
import { checkSession } from '../database/check-session.ts'
import { type ClusterState, listNodes, readClusterState } from '../database/distribute.ts'
import { atServer } from '../database/failover.ts'
import type { SessionOptions } from '../database/pool.ts'
import { type Finding, ok, problem, warning } from './finding.ts'

export async function checkCluster(
  client: Client,
  config: Config,
  session: SessionOptions,
): Promise<Finding[]> {
  const { clusterDirect, databaseUrl } = config
  const findings = describeCluster(await readClusterState(client), clusterDirect)
  const isUsable = findings.some(({ status }) => status === 'ok')
  return isUsable && clusterDirect && databaseUrl !== undefined
    ? [...findings, describeDirectWay(await findObstacles(client, databaseUrl, session))]
    : findings
}

/** Nothing to say where there is no Citus, unless CLUSTER_DIRECT expects one. */
export function describeCluster(state: ClusterState | undefined, clusterDirect: boolean): Finding[] {
  if (!state) {
    const message = 'CLUSTER_DIRECT has no effect, because the database is on one server'
    return clusterDirect ? [warning('cluster', message, 'Remove CLUSTER_DIRECT.')] : []
  }
  const { version, nodes, isDistributed, missing, lost, cutOff } = state
  if (!isDistributed) {
    const advice = 'Stop the service, and run loyalty-wallet distribute.'
    return [warning('cluster', `Citus ${version} is here, but all tables are on this server`, advice)]
  }
  if (missing.length > 0) {
    const message = `on this server only: ${missing.join(', ')}`
    return [problem('cluster', message, 'Run loyalty-wallet distribute, which moves what is missing.')]
  }
  if (lost.length > 0) {
    const message = `no node reaches ${lost.join(', ')} as ${appRole}`
    const advice =
      'Start it, or put its standby in its place with citus_update_node. If it runs, let pg_hba.conf there accept ' +
      'that role from the others, and see its log.'
    return [problem('cluster', message, advice)]
  }
  if (cutOff.length > 0) {
    const advice = 'Let pg_hba.conf on every server accept that role from the others, and see their logs.'
    const message = `another node cannot be reached as ${appRole} from ${cutOff.join(', ')}`
    return [problem('cluster', message, advice)]
  }
  return [ok('cluster', `Citus ${version}, ${nodes} nodes`)]
}

/** Nodes that the service cannot use directly, and why. */
async function findObstacles(client: Client, url: string, session: SessionOptions): Promise<string[]> {
  const obstacles: string[] = []
  for (const { host, port } of await listNodes(client)) {
    await checkSession(atServer(url, host, port), session).catch(({ message }: Error) =>
      obstacles.push(`${host}:${port} (${message})`),
    )
  }
  return obstacles
}

export function describeDirectWay(obstacles: readonly string[]): Finding {
  if (obstacles.length === 0) return ok('direct', 'all nodes can be used directly')
  const advice =
    'The name in pg_dist_node must lead to the node itself, also from here, and pg_hba.conf there must accept this ' +
    'computer. Until then the other nodes pass on what is for it.'
  return warning('direct', `cannot be used directly: ${obstacles.join(', ')}`, advice)
}
