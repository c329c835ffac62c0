/** The doctor's check of a Citus cluster. */
import type { Client } from 'pg'
import { appRole } from '../database/app-role.ts'
import { readClusterState } from '../database/distribute.ts'
import { type Finding, ok, problem, warning } from './finding.ts'

/** Nothing to say where there is no Citus. */
export async function checkCluster(client: Client): Promise<Finding[]> {
  const state = await readClusterState(client)
  if (!state) return []
  const { version, nodes, isDistributed, missing, cutOff } = state
  if (!isDistributed) {
    const advice = 'Stop the service, and run loyalty-wallet distribute.'
    return [warning('cluster', `Citus ${version} is here, but all tables are on this server`, advice)]
  }
  if (missing.length > 0) {
    const message = `on this server only: ${missing.join(', ')}`
    return [problem('cluster', message, 'Run loyalty-wallet distribute, which moves what is missing.')]
  }
  if (cutOff.length > 0) {
    const advice = 'Let pg_hba.conf on every server accept that role from the others, and see their logs.'
    const message = `another node cannot be reached as ${appRole} from ${cutOff.join(', ')}`
    return [problem('cluster', message, advice)]
  }
  return [ok('cluster', `Citus ${version}, ${nodes} nodes`)]
}
