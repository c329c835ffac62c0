// Checks what others make of openapi.json: linters, generators of clients, and the tour of the README with each
// generated client against a running service, behind a proxy that compares every request and response with the
// document. The tools are a package of their own in clients/, which is installed here the first time, or with
// --install before it.
import { execFile } from 'node:child_process'
import { cp, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { startDemoService } from './demo-service.mjs'
import { runGuides } from './run-guides.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const clients = join(root, 'clients')
const shell = process.platform === 'win32'

const startedAt = performance.now()
const rows = []
// With --install, only prepares for the next run.
if (process.argv.includes('--install')) await step('install the tools', install)
else await checkWithService()
report()

async function checkWithService() {
  // A tour needs no history.
  const starting = step('start the service', () => startDemoService({ DEMO_DAYS: '0' }))
  try {
    if (await step('install the tools', install)) await checkAll(starting)
  } finally {
    await (await starting)?.stop()
  }
}

async function checkAll(starting) {
  const linting = lint()
  const hasGenerated = await step('@hey-api/openapi-ts', () => run('generate-hey-api.mjs'))
  // A build belongs to the start, and the types of openapi-typescript to the build.
  const service = await starting
  if (hasGenerated && service) {
    await step('types with openapi-typescript', () => tsc('tsconfig.json'))
    await step('types with @hey-api/openapi-ts', () => tsc('tsconfig.hey-api.json'))
    await step('all tours, through Prism', () => makeTours(join(service.folder, 'data/demo.json')))
  }
  if (service) {
    await step("the till of the SDK's README", () => runReadme(service.folder))
    await step('the SDK for Python', () => testPython(service.folder))
    await step('the snippets of the guides', () => runGuides(service.folder))
    await step('the examples', () => run('run-examples.mjs', join(service.folder, 'data/demo.json')))
  }
  await linting
}

async function lint() {
  await step('Spectral', () => run('lint-spectral.mjs'))
  await step('Redocly', () => run('lint-redocly.mjs'))
}

/** Returns what the work returns; if it fails, says why, and returns nothing. */
async function step(name, work) {
  const from = performance.now()
  const row = { name, result: 'FAILED' }
  try {
    const value = await work()
    row.result = typeof value === 'string' ? value : 'passed'
    return value
  } catch (error) {
    console.error(`\n${name} fails:\n${[error.stdout, error.stderr].join('').trim() || error.message}`)
  } finally {
    row.seconds = secondsSince(from)
    rows.push(row)
  }
}

/** Installs the tools, unless those of the same lockfile are installed already. */
async function install() {
  const mark = join(clients, 'node_modules/.installed-lockfile')
  const lockfile = await readFile(join(clients, 'package-lock.json'), 'utf8')
  if ((await readFile(mark, 'utf8').catch(() => undefined)) === lockfile) return 'already there'
  // Packages in npm's cache are not fetched again, and none of these needs its install script.
  const args = ['ci', '--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund']
  await promisify(execFile)('npm', args, { cwd: clients, shell })
  await writeFile(mark, lockfile)
  return 'installed'
}

async function run(script, ...args) {
  const { stdout } = await promisify(execFile)(process.execPath, [join(clients, script), ...args])
  return stdout.trim().split('\n').slice(-2).join('; ')
}

async function tsc(config) {
  const file = join(root, 'node_modules/.bin/tsc')
  await promisify(execFile)(file, ['-p', join(clients, config)], { shell })
  return 'strictly typed'
}

async function makeTours(demoFile) {
  await build({
    entryPoints: ['tour', 'tour-openapi-fetch', 'tour-hey-api', 'tour-sdk'].map((name) =>
      join(clients, `${name}.ts`),
    ),
    outdir: join(root, 'dist/clients'),
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    logLevel: 'silent',
  })
  return run('tour-through-prism.mjs', demoFile)
}

/** As a reader does it: the SDK as it is published, and the program as it is printed. */
async function runReadme(folder) {
  await promisify(execFile)(process.execPath, [join(root, 'scripts/build-sdk.mjs')])
  const installed = join(folder, 'node_modules/loyalty-wallet-sdk')
  await cp(join(root, 'sdk'), installed, { recursive: true, filter: (path) => !path.includes('/sdk/src') })
  const readme = await readFile(join(root, 'sdk/README.md'), 'utf8')
  const lines = await runTill(readme, folder, process.execPath)
  if (lines > 45) throw new Error(`It has ${lines} lines.`)
  return `${lines} lines, prints what the README shows`
}

/** Runs the program that a README prints, and compares what it prints. Returns its lines. */
async function runTill(readme, folder, program, env = {}) {
  const till = /```\w+ till\n(.*?)```/s.exec(readme)[1]
  const [, file, words, output] = /`\S+ (till\.\S+) (.*?)` prints:\n\n```text\n(.*?)```/s.exec(readme)
  await writeFile(join(folder, file), till)
  const args = words.split(/ (?=[^']*(?:'[^']*'[^']*)*$)/).map((word) => word.replaceAll("'", ''))
  const options = { cwd: folder, env: { ...process.env, ...env } }
  const { stdout } = await promisify(execFile)(program, [file, ...args], options)
  if (stdout.replaceAll('\r', '') !== output) throw new Error(`It prints:\n${stdout}`)
  return till.trim().split('\n').length
}

async function testPython(folder) {
  const python = process.platform === 'win32' ? 'python' : 'python3'
  const execute = promisify(execFile)
  if (!(await execute(python, ['--version']).catch(() => undefined))) return 'skipped: there is no Python'
  const sdk = join(root, 'sdk/python')
  const env = { PYTHONPATH: sdk, PYTHONDONTWRITEBYTECODE: '1' }
  const { stderr } = await execute(python, [join(sdk, 'test_loyalty_wallet.py')], {
    env: { ...process.env, ...env, DEMO: join(folder, 'data/demo.json') },
  })
  await runTill(await readFile(join(sdk, 'README.md'), 'utf8'), folder, python, env)
  return /Ran \d+ tests/.exec(stderr)[0]
}

function report() {
  console.log('\n| tool | result | seconds |\n|---|---|---|')
  for (const { name, result, seconds } of rows) console.log(`| ${name} | ${result} | ${seconds} |`)
  console.log(`| all, partly at the same time | | ${secondsSince(startedAt)} |`)
  process.exitCode = rows.some(({ result }) => result === 'FAILED') ? 1 : 0
}

function secondsSince(from) {
  return ((performance.now() - from) / 1000).toFixed(1)
}
