import type { Command } from 'commander'
import { type Config, readConfig } from '../config.ts'
import {
  checkDataFolder,
  checkDisk,
  checkNode,
  checkPrograms,
  checkSecrets,
  checkSettings,
} from './check-computer.ts'
import { checkDatabase } from './check-database.ts'
import { checkInstallationKeys } from './check-passes.ts'
import { checkPort } from './check-port.ts'
import { checkTracing } from './check-running.ts'
import { addCommand, type CommandOutput, type Context } from './command.ts'
import { Failure } from './failure.ts'
import { findPepper } from './find-pepper.ts'
import { countFindings, type Finding, ok } from './finding.ts'
import { type Environment, readDatabaseSettings } from './settings.ts'

/** Reports what is wrong and how to fix it. It changes nothing, and can run next to a running service. */
export function doctorCommand(program: Command, { env, report }: Context): void {
  addCommand(program, 'doctor', 'Find problems, and how to fix them.', [
    'loyalty-wallet doctor',
    'loyalty-wallet doctor --json',
  ]).action(async () => report(toOutcome(await examine(env))))
}

async function examine(env: Environment): Promise<Finding[]> {
  const findings = [checkNode(), ...checkSettings(env)]
  const config = settingsOfDatabase(env)
  const service = readConfig(env)
  if (config) {
    // With a database and secrets of its own, the service keeps no files.
    const keepsFiles = config.databaseUrl === undefined || !service.ok || service.config.demo
    if (keepsFiles) findings.push(await checkDataFolder(config), await checkDisk(config))
    else findings.push(ok('data folder', 'not used, because DATABASE_URL is set and the demo is off'))
    const secrets = await checkSecrets(config)
    if (secrets) findings.push(secrets)
    findings.push(await checkPrograms(config), ...(await checkDatabase(config, await findPepper(env))))
  }
  if (service.ok) {
    findings.push(
      checkInstallationKeys(service.config.passes, new Date()),
      await checkTracing(service.config),
      await checkPort(service.config),
    )
  }
  return findings
}

/** With an invalid certificate the database can still be checked; with an invalid DATABASE_URL it cannot. */
function settingsOfDatabase(env: Environment): Config | undefined {
  try {
    return readDatabaseSettings(env)
  } catch (error) {
    if (error instanceof Failure) return undefined
    throw error
  }
}

function toOutcome(findings: readonly Finding[]): CommandOutput {
  const { problems, warnings, sum } = countFindings(findings)
  const width = Math.max(...findings.map(({ check }) => check.length))
  const lines = findings.flatMap(({ check, status, message, advice }) => [
    `${status.padEnd('warning'.length)}  ${check.padEnd(width)}  ${message}`,
    ...(advice ? [`${' '.repeat('warning'.length + width + 4)}→ ${advice}`] : []),
  ])
  return {
    text: [...lines, '', sum].join('\n'),
    json: { ok: problems === 0, problems, warnings, checks: findings },
    exitCode: problems === 0 ? 0 : 1,
  }
}
