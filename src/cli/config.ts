import type { Command } from 'commander'
import { readSettings } from '../config.ts'
import { checkCertificate, checkSecrets } from './check-computer.ts'
import { type ExaminedSetting, examineSettings } from './check-settings.ts'
import { addCommand, type CommandOutput, type Context } from './command.ts'
import { countFindings } from './finding.ts'
import type { Environment } from './settings.ts'

export function configCommand(program: Command, { env, report }: Context): void {
  const config = addCommand(program, 'config', 'Look at the settings.', ['loyalty-wallet config check'])
  addCommand(
    config,
    'check',
    'Show every setting, where it comes from and what it means; exit with 1 if one is invalid or dangerous.',
    ['loyalty-wallet config check', 'loyalty-wallet config check --json'],
  ).action(async () => report(toOutcome(examineSettings(env, await checkFiles(env)))))
}

/** The files that settings name have to be what they should be as well. */
async function checkFiles(env: Environment) {
  const { config } = readSettings({ ...env })
  const secrets = await checkSecrets(config)
  return [
    ...(config.tls ? [{ name: 'TLS_CERT', finding: checkCertificate(config.tls) } as const] : []),
    ...(secrets && config.demo ? [{ name: 'DATA_DIR', finding: secrets } as const] : []),
  ]
}

function toOutcome(settings: readonly ExaminedSetting[]): CommandOutput {
  const findings = settings.flatMap((setting) => setting.findings)
  const { problems, warnings, sum } = countFindings(findings)
  const isFine = problems + warnings === 0
  return {
    text: [...settings.flatMap(toLines), '', sum].join('\n'),
    json: { ok: isFine, problems, warnings, settings: settings.map(toDocument) },
    exitCode: isFine ? 0 : 1,
  }
}

const inset = ' '.repeat('warning'.length + 2)

function toLines({ name, value, origin, meaning, status, findings }: ExaminedSetting): string[] {
  const from = origin === 'not set' ? 'not set' : `${value} (${origin})`
  return [
    `${status.padEnd('warning'.length)}  ${name}: ${from}`,
    `${inset}${meaning}`,
    ...findings.flatMap(({ message, advice }) => [`${inset}${message}`, `${inset}→ ${advice}`]),
  ]
}

const toDocument = ({ findings, ...setting }: ExaminedSetting) => ({
  ...setting,
  findings: findings.map(({ status, message, advice }) => ({ status, message, advice })),
})
