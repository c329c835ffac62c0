/**
 * The command line: arguments in, text or JSON out, and an exit code: 0 for success, 1 for failure, 2 for
 * invalid arguments or settings. Each command has its own file.
 */
import { Command, CommanderError } from 'commander'
import { Refused, refusals } from '../domain/refusal.ts'
import { packageVersion } from '../package-root.ts'
import { adoptPepperCommand } from './adopt-pepper.ts'
import { archiveCommand } from './archive.ts'
import { backupCommand } from './backup.ts'
import { campaignsCommand } from './campaigns.ts'
import { type Context, type Terminal, toExamples } from './command.ts'
import { completionCommand } from './completion.ts'
import { configCommand } from './config.ts'
import { conformanceCommand } from './conformance.ts'
import { connectionCommand } from './connection.ts'
import { createContext } from './create-context.ts'
import { customersCommand } from './customers.ts'
import { demoCommand } from './demo.ts'
import { distributeCommand } from './distribute.ts'
import { doctorCommand } from './doctor.ts'
import { eventsCommand } from './events.ts'
import { Failure, misused } from './failure.ts'
import { fileCommands } from './files.ts'
import { integrationCommand } from './integration.ts'
import { jobsCommand } from './jobs.ts'
import { loginCommand } from './login.ts'
import { logsCommand } from './logs.ts'
import { migrateCommand } from './migrate.ts'
import { organizationCommand } from './organization.ts'
import { personCommand } from './person.ts'
import { restoreCommand } from './restore.ts'
import { serveCommand } from './serve.ts'
import { wantsStacks } from './settings.ts'
import { tokenCommand } from './token.ts'
import { transactionsCommand } from './transactions.ts'
import { triggerCommand } from './trigger.ts'
import { verifyLedgerCommand } from './verify-ledger.ts'
import { webhooksCommand } from './webhooks.ts'

const commands = {
  'Daily work:': [
    loginCommand,
    customersCommand,
    fileCommands,
    campaignsCommand,
    transactionsCommand,
    eventsCommand,
    webhooksCommand,
    logsCommand,
    connectionCommand,
  ],
  'For developers:': [tokenCommand, triggerCommand, conformanceCommand, demoCommand, completionCommand],
  'Operating:': [
    serveCommand,
    doctorCommand,
    configCommand,
    organizationCommand,
    integrationCommand,
    personCommand,
    backupCommand,
    restoreCommand,
    archiveCommand,
    jobsCommand,
    verifyLedgerCommand,
    migrateCommand,
    distributeCommand,
    adoptPepperCommand,
  ],
}

export async function run(args: readonly string[], terminal: Terminal): Promise<number> {
  const isJson = wantsJson(args)
  const printJson = (document: unknown) => terminal.out(`${JSON.stringify(document, undefined, 2)}\n`)
  let exitCode = 0
  const context = createContext(terminal, isJson, (code) => {
    exitCode = code
  })
  // With --json, what commander writes itself is captured and becomes part of the one document.
  let written = ''
  const keep = (text: string) => {
    written += text
  }
  const program = buildProgram(context, {
    writeOut: isJson ? keep : terminal.out,
    writeErr: isJson ? keep : terminal.err,
  })
  try {
    await program.parseAsync([...args], { from: 'user' })
    return exitCode
  } catch (error) {
    if (error instanceof CommanderError) {
      if (isJson) printJson(toDocument(error, written.trim()))
      return error.exitCode === 0 ? 0 : 2
    }
    const failure = toFailure(error)
    if (isJson) printJson(toErrorDocument(failure))
    else terminal.err(`${toText(failure)}\n`)
    if (wantsStacks(terminal.env)) terminal.err(`${stackOf(failure)}\n`)
    return failure.exitCode
  }
}

/** Checked before parsing, since a parse error has to be printed as JSON, too. */
function wantsJson(args: readonly string[]): boolean {
  const end = args.indexOf('--')
  return args.slice(0, end === -1 ? undefined : end).includes('--json')
}

export function buildProgram(
  context: Context,
  output: { writeOut(text: string): void; writeErr(text: string): void },
): Command {
  const program = new Command('loyalty-wallet')
    .description('Loyalty and wallet service for merchants.')
    .version(packageVersion(), '--version', 'print the version')
    .option('--json', 'print one JSON document, also for errors')
    .helpOption('-h, --help', 'show help for a command')
    .helpCommand('help [command]', 'show help for a command')
    .addHelpText(
      'after',
      toExamples([
        'loyalty-wallet serve',
        'loyalty-wallet doctor',
        'loyalty-wallet login --url https://wallet.example.com',
        "loyalty-wallet customers find 'Ada'",
        'loyalty-wallet organization create --help',
      ]),
    )
    .addHelpText(
      'after',
      '\n"loyalty-wallet" without a command is "loyalty-wallet serve". In a checkout, use "npm run --silent cli --" instead of "loyalty-wallet". Settings come from the environment.',
    )
    .exitOverride()
    .configureOutput(output)
    .showHelpAfterError('Add --help for usage.')
  for (const [group, members] of Object.entries(commands)) {
    program.commandsGroup(group)
    for (const add of members) add(program, context)
  }
  return program
}

function toDocument(error: CommanderError, written: string): unknown {
  if (error.code === 'commander.version') return { version: written }
  if (error.exitCode === 0) return { help: written }
  // Without a command, commander prints its whole help as the error.
  if (error.code === 'commander.help')
    return toErrorDocument(misused('No command given. Add --help for usage.'))
  return toErrorDocument(misused(written.replace(/^error: /, '')))
}

function toErrorDocument({ code, message, problems }: Failure): unknown {
  return { error: { code, message, problems } }
}

function toText({ message, problems = [] }: Failure): string {
  return [message, ...problems.map((problem) => `  - ${problem}`)].join('\n')
}

function toFailure(error: unknown): Failure {
  if (error instanceof Failure) return error
  if (error instanceof Refused) {
    const isInput = error.code === '_invalid_payload'
    return new Failure(error.code, error.description ?? refusals[error.code], { exitCode: isInput ? 2 : 1 })
  }
  const reason = error instanceof Error ? error.message : String(error)
  return new Failure(
    'unexpected',
    `Unexpected error: ${reason}\n"loyalty-wallet doctor" may find the cause; LOG_LEVEL=debug prints the stack trace.`,
    { cause: error },
  )
}

function stackOf(failure: Failure): string {
  const { cause } = failure
  return String((cause instanceof Error ? cause.stack : undefined) ?? failure.stack)
}
