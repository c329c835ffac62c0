import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { completeSecrets } from '../app/serve.ts'
import { readConfig } from '../config.ts'
import type { Environment } from './settings.ts'

/** The pepper that the service would use, without creating secrets if there are none. */
export async function findPepper(env: Environment): Promise<string | undefined> {
  const read = readConfig(env)
  if (!read.ok) return undefined
  const { jwtSecret, adminToken, dataDir } = read.config
  const isComplete = jwtSecret !== undefined && adminToken !== undefined
  if (!isComplete && !existsSync(join(dataDir, 'secrets.json'))) return undefined
  // Another check reports what is wrong with the file.
  return completeSecrets(read.config).then(
    ({ credentialPepper }) => credentialPepper,
    () => undefined,
  )
}
