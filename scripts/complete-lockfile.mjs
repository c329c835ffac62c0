// Adds to package-lock.json the optional packages of other platforms that npm left out because it could not
// fetch them when the lockfile was written. `npm ci` refuses a lockfile without them, on every platform.
// Run it after `npm install` when the tidy test asks for it.
import { readFileSync, writeFileSync } from 'node:fs'

const path = new URL('../package-lock.json', import.meta.url)
const lock = JSON.parse(readFileSync(path, 'utf8'))

const systems = [
  'aix',
  'android',
  'darwin',
  'freebsd',
  'linux',
  'netbsd',
  'openbsd',
  'openharmony',
  'sunos',
  'win32',
]
const processors = ['arm64', 'x64', 'arm', 'ia32', 'ppc64', 'riscv64', 's390x', 'wasm32', 'loong64']

/** What a package is for, told by its name, such as `binding-linux-x64-musl`. */
function platformOf(name) {
  const words = name.split('/').pop().split('-')
  const os = systems.find((one) => words.includes(one))
  const cpu = words.find((one) => processors.includes(one))
  if (!cpu) throw new Error(`${name}: its name does not tell which processor it is for; add it by hand.`)
  const libc = words.some((word) => word.startsWith('musl'))
    ? 'musl'
    : words.includes('gnu')
      ? 'glibc'
      : undefined
  return { cpu: [cpu], ...(libc && os === 'linux' && { libc: [libc] }), ...(os && { os: [os] }) }
}

for (const [parent, entry] of Object.entries(lock.packages)) {
  if (parent === '') continue
  for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
    if (lock.packages[`node_modules/${name}`] || lock.packages[`${parent}/node_modules/${name}`]) continue
    lock.packages[`node_modules/${name}`] = {
      version,
      ...(entry.dev && { dev: true }),
      optional: true,
      ...platformOf(name),
    }
    console.log(`added ${name}@${version}`)
  }
}
const sorted = Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : 1))
writeFileSync(path, `${JSON.stringify({ ...lock, packages: Object.fromEntries(sorted) }, undefined, 2)}\n`)
