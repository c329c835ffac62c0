import type { Command } from 'commander'
import { openLog, resetDemo } from '../app/serve.ts'
import { addCommand, type CommandOutput, type Context } from './command.ts'
import { Failure } from './failure.ts'
import { prepareSession, withDatabase } from './open-database.ts'
import { confirm } from './open-wallet.ts'
import { readDemoSettings } from './settings.ts'

export function demoCommand(program: Command, context: Context): void {
  const group = addCommand(program, 'demo', 'The demo café.', ['loyalty-wallet demo reset'])
  addCommand(group, 'reset', 'Delete the demo with everything in it, and create it anew.', [
    'loyalty-wallet demo reset',
    'loyalty-wallet demo reset --yes',
  ])
    .option('--yes', 'do not ask')
    .addHelpText(
      'after',
      '\nIt works on the database, like "organization create", also while the service is running. Only the organization that was created as the demo can be deleted. Its password and API key stay; its API secret is a new one, in demo.json.',
    )
    .action(async (options: { yes?: boolean }) => context.report(await reset(context, options.yes)))
}

async function reset(context: Context, isSure: boolean | undefined): Promise<CommandOutput> {
  const config = readDemoSettings(context.env)
  await confirm(context, 'Everything in the demo is deleted, and created anew. Go on?', isSure)
  const log = openLog({ ...config, logLevel: 'warn' }, { isTerminal: context.isInteractive, toStderr: true })
  const opened = await withDatabase(config, async (connection, origin) =>
    resetDemo(connection, await prepareSession(connection, origin), config, log, (day, of) =>
      context.progress(day, of, 'Filling the demo café: day '),
    ),
  )
  if (!opened)
    throw new Failure(
      'no_demo',
      'This database has no demo, so nothing was deleted. Check DATA_DIR and DATABASE_URL.',
    )
  const { organizationId, campaignId, apiKey, apiSecret } = opened.demo
  return {
    text: `The demo was created anew.
  Organization  ${organizationId}
  Campaign      ${campaignId}
  API key       ${apiKey}
  API secret    ${apiSecret}`,
    json: { organizationId, campaignId, apiKey, apiSecret, since: opened.since?.toISOString() },
  }
}
