import { writeFile } from 'node:fs/promises'
import type { Command } from 'commander'
import { guide, type Tester } from '../conformance/proxy/guide.ts'
import { scenes } from '../conformance/proxy/scenes.ts'
import { describeSum, toHtml, toText } from '../conformance/report.ts'
import { addCommand, type CommandOutput, type Context } from './command.ts'
import { readDemo, readUrl } from './credentials.ts'
import { Failure, misused } from './failure.ts'
import { baseOf, readDocument } from './open-wallet.ts'
import { readAddressSettings } from './settings.ts'

interface ProxyOptions {
  readonly target?: string
  readonly port: string
  readonly listen: string
  readonly script?: string
  readonly wait: string
  readonly html?: string
}

export function addConformanceProxy(parent: Command, context: Context): void {
  const list = scenes.map(
    ({ id, text, isOptional }) => `  ${id.padEnd(15)} ${text}${isOptional ? ' (may be left out)' : ''}`,
  )
  addCommand(
    parent,
    'proxy',
    'Watch a till while it is used, and say which rules it breaks; exit with 1 if one is broken.',
    [
      'loyalty-wallet conformance proxy --target http://127.0.0.1:8080',
      'loyalty-wallet conformance proxy --target https://wallet.example.com --html till.html',
      'loyalty-wallet conformance proxy --target http://127.0.0.1:8080 --script answers.json --json',
    ],
  )
    .option('--target <address>', 'URL of the service (default: from demo.json, or this computer)')
    .option('--port <number>', 'where the till reaches the proxy', '9080')
    .option(
      '--listen <address>',
      'address to listen on; others than this computer can then use the proxy',
      '127.0.0.1',
    )
    .option('--script <file>', 'answers by scene, as JSON, if nobody is there to answer')
    .option('--wait <seconds>', 'with --script: how long to wait for each scene', '60')
    .option('--html <file>', 'write the report as a page, too')
    .addHelpText(
      'after',
      `\nGive the till the address of the proxy in place of that of the service, and do what you are asked to. Use an organization for tests: there are real sales, one of them by the proxy itself.\n\nScenes:\n${list.join('\n')}\n\nA script is such as {"sale": {"amount": "9.50"}, "another till": {"balance": "34"}, "coupon": "skip"}.`,
    )
    .action(async (_: ProxyOptions, command: Command) =>
      context.report(await run(context, command.optsWithGlobals<ProxyOptions>())),
    )
}

async function run(context: Context, options: ProxyOptions): Promise<CommandOutput> {
  const port = Number(options.port)
  if (!/^\d{1,5}$/.test(options.port) || port > 65_535)
    throw misused(`--port: "${options.port}" is not a port.`)
  const demo = await readDemo(readAddressSettings(context.env).dataDir)
  const target = readUrl(options.target ?? demo?.baseUrl ?? 'http://127.0.0.1:8080')
  const tester = await createTester(context, options)
  if (!/^(?:127\.|::1$|localhost$)/.test(options.listen))
    context.note(
      'Others in your network can use the proxy, and the secrets of the till travel unencrypted to it.',
    )
  const report = await guide({
    target: baseOf(target),
    port,
    host: options.listen,
    acceptsAnyCertificate: options.target === undefined && demo !== undefined,
    tester,
  }).catch((error: NodeJS.ErrnoException) => {
    if (error.syscall !== 'listen') throw error
    throw new Failure(
      'port_in_use',
      `The proxy cannot listen on ${options.listen}:${port} (${error.code}). Choose another port with --port.`,
    )
  })
  if (options.html !== undefined) {
    await writeFile(options.html, toHtml(report))
    context.note(`Written: ${options.html}`)
  }
  return {
    text: toText(report),
    json: { ...report, summary: describeSum(report) },
    exitCode: report.isConforming ? 0 : 1,
  }
}

type Script = Readonly<Record<string, 'skip' | Readonly<Record<string, unknown>>>>

async function createTester(context: Context, options: ProxyOptions): Promise<Tester> {
  const script =
    options.script === undefined ? undefined : ((await readDocument(context, options.script)) as Script)
  const shared = {
    onStart: (url: string) =>
      context.note(`The till reaches ${options.target ?? 'the service'} at ${context.style('bold', url)}\n`),
    onScene: ({ text }: { text: string }, n: number, of: number) =>
      context.note(`${context.style('bold', `${n} of ${of}`)}  ${text}`),
    onExchange: ({ method, path, status }: { method: string; path: string; status?: number }) =>
      context.note(context.style('dim', `        ${method} ${path} ${status ?? 'cut off'}`)),
  }
  if (script) return { ...shared, ...scripted(script, Number(options.wait) * 1000) }
  const { ask } = context
  if (!ask || context.isJson)
    throw misused('Somebody has to sit at the till and answer. Run this on a terminal, or add --script FILE.')
  return {
    ...shared,
    async waitFor(_, signal) {
      const said = await ask('        Enter when it is done, s to leave it out: ', { signal })
      return /^s/i.test(said) ? 'skip' : 'done'
    },
    ask: (_, question) => ask(`        ${question} `),
  }
}

function scripted(script: Script, waitMs: number): Pick<Tester, 'waitFor' | 'ask'> {
  const of = (id: string) => script[id] ?? {}
  return {
    waitFor: ({ id }, signal) =>
      new Promise((resolve) => {
        if (of(id) === 'skip') return resolve('skip')
        const timer = setTimeout(() => resolve('done'), waitMs)
        signal.addEventListener('abort', () => clearTimeout(timer), { once: true })
      }),
    async ask({ id, question = 'amount' }) {
      const answers = of(id)
      return answers === 'skip' ? '' : String(answers[question] ?? '')
    },
  }
}
