import { writeFile } from 'node:fs/promises'
import type { Command } from 'commander'
import { describeSum, toHtml, toText } from '../conformance/report.ts'
import { checkConformance } from '../conformance/run.ts'
import { addCommand, type Context } from './command.ts'
import { addConformanceProxy } from './conformance-proxy.ts'
import { findCredentials } from './credentials.ts'
import { misused } from './failure.ts'

interface ConformanceOptions {
  target?: string
  profile?: string
  campaign?: string
  html?: string
}

export function conformanceCommand(program: Command, context: Context): void {
  const { env, report, progress, note } = context
  const conformance = addCommand(
    program,
    'conformance',
    'Play a till against a service, and say clause by clause of the interface what holds; exit with 1 if one is broken.',
    [
      'loyalty-wallet conformance',
      'loyalty-wallet conformance --html report.html',
      'API_KEY=lwk_… API_SECRET=lws_… loyalty-wallet conformance --target https://wallet.example.com --campaign cmp_…',
      'loyalty-wallet conformance proxy --target http://127.0.0.1:8080',
    ],
  )
    .option('--target <address>', 'URL of the service (default: from demo.json, or this computer)')
    .option('--profile <name>', 'credentials stored by "login" under this name')
    .option('--campaign <id>', 'a published campaign that collects something (default: that of the demo)')
    .option('--html <file>', 'write the report as a page, too')
    .addHelpText(
      'after',
      '\nIt registers about fifty customers and processes a few sales, so use an organization for tests. Set OTHER_API_SECRET to a secret of another integration to try that, too.',
    )
    .action(async (options: ConformanceOptions) => {
      const {
        url,
        apiKey,
        apiSecret,
        campaign: known,
      } = await findCredentials(env, { url: options.target, profile: options.profile })
      const campaign = options.campaign ?? known
      if (campaign === undefined) throw misused('Add --campaign with the ID of a published campaign.')
      const result = await checkConformance({
        target: url.origin + url.pathname.replace(/\/+$/, ''),
        campaign,
        apiKey,
        apiSecret,
        otherSecret: env.OTHER_API_SECRET || undefined,
        onVerdict: (_verdict, done, of) => progress(done, of, 'clauses '),
      })
      if (options.html !== undefined) {
        await writeFile(options.html, toHtml(result))
        note(`Written: ${options.html}`)
      }
      report({
        text: toText(result),
        json: { ...result, summary: describeSum(result) },
        exitCode: result.isConforming ? 0 : 1,
      })
    })
  addConformanceProxy(conformance, context)
}
