/** The doctor's check of a Citus cluster. */
import type { Client } from 'pg'
import { appRole } from '../database/app-role.ts'
import { isDistributed, listUndistributed } from '../database/distribute.ts'
import { type Finding, ok, problem, warning } from './finding.ts'

/** Nothing to say where there is no Citus. */
export async function checkCluster(client: Client): Promise<Finding[]> {
  const { rows } = await client.query("SELECT extversion FROM pg_extension WHERE extname = 'citus'")
  const version = rows[0]?.extversion
  if (version === undefined) return []
  if (!(await isDistributed(client))) {
    const advice = 'Stop the service, and run loyalty-wallet distribute.'
    return [warning('cluster', `Citus ${version} is here, but all tables are on this server`, advice)]
  }
  const missing = await listUndistributed(client)
  if (missing.length > 0) {
    const message = `${missing.join(', ')}: on this server only`
    return [problem('cluster', message, 'Run loyalty-wallet distribute, which moves what is missing.')]
  }
  const lost = await listLostNodes(client)
  if (lost.length > 0) {
    const advice = 'See SELECT * FROM pg_dist_node, and the log of the servers.'
    return [problem('cluster', `cannot be reached from here as ${appRole}: ${lost.join(', ')}`, advice)]
  }
  const nodes = await client.query('SELECT count(*)::int AS nodes FROM pg_dist_node WHERE isactive')
  return [ok('cluster', `Citus ${version}, ${nodes.rows[0].nodes} nodes`)]
}

/** Nodes that the coordinator cannot log in to as the service's role. */
async function listLostNodes(client: Client): Promise<string[]> {
  await client.query('BEGIN')
  try {
    await client.query(`SET LOCAL ROLE ${appRole}`)
    const { rows } = await client.query<{ node: string; success: boolean }>(
      `SELECT from_nodename || ':' || from_nodeport AS node, coalesce(result, false) AS success
       FROM citus_check_cluster_node_health() WHERE result IS NOT TRUE`,
    )
    return [...new Set(rows.map(({ node }) => node))]
  } finally {
    await client.query('ROLLBACK')
  }
}
