import type { Command } from 'commander'
import { completeSecrets } from '../app/serve.ts'
import { adoptPepper } from '../operations/auth/recognize-pepper.ts'
import { addCommand, type Context } from './command.ts'
import { withPool } from './open-database.ts'
import { readCredentialSettings } from './settings.ts'

/** For operators who have lost the pepper: makes the current one the valid one. */
export function adoptPepperCommand(program: Command, { env, report }: Context): void {
  addCommand(
    program,
    'adopt-pepper',
    'Adopt the current CREDENTIAL_PEPPER; keys and secrets made with another one stop working.',
    ['loyalty-wallet adopt-pepper'],
  ).action(async () => {
    const config = readCredentialSettings(env)
    await withPool(config, async (pool) =>
      adoptPepper(pool, (await completeSecrets(config)).credentialPepper, new Date()),
    )
    report({
      text: 'Done. Keys, secrets and sessions made with another pepper no longer work. Rotate them with POST /admin/v1/integrations/{id}/rotate and /admin/v1/connections/{id}/rotate, or create new ones.',
      json: { adopted: true },
    })
  })
}
