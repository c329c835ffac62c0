// Starts the built service as a new user would, with its embedded PostgreSQL and the demo, checks that it is
// ready, requests its pages, and stops it again. Needs only Node.js, on every platform.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const dataDir = await mkdtemp(join(tmpdir(), 'loyalty-wallet-'))
// With --json, the address it chose is part of the output document, and the log goes to stderr.
const service = spawn(process.execPath, ['dist/loyalty-wallet.js', 'serve', '--json'], {
  env: { ...process.env, PORT: '0', DEMO_DAYS: '2', DATA_DIR: dataDir },
  stdio: ['ignore', 'pipe', 'inherit'],
})
const ended = once(service, 'exit')

const baseUrl = await readAddress()
for (const path of ['/readyz', '/docs', '/console', '/till']) {
  const { status } = await fetch(baseUrl + path)
  console.log(`${path} ${status}`)
  if (status !== 200) fail(`${path} returned ${status}`)
}
// Windows has no signals, so the service and its PostgreSQL are killed there.
if (process.platform === 'win32') {
  await once(spawn('taskkill', ['/pid', String(service.pid), '/t', '/f'], { stdio: 'ignore' }), 'exit')
} else {
  service.kill('SIGTERM')
  const [code] = await ended
  if (code !== 0) fail(`the service exited with ${code} after SIGTERM`)
  await rm(dataDir, { recursive: true })
}
console.log(`started, responded and stopped: ${process.platform} ${process.arch}, Node.js ${process.version}`)
process.exit(0)

async function readAddress() {
  let said = ''
  for await (const text of service.stdout.setEncoding('utf8')) {
    said += text
    const address = /"baseUrl": "([^"]+)"/.exec(said)?.[1]
    if (address) return address
  }
  return fail(`the service did not start: ${said}`)
}

function fail(reason) {
  console.error(reason)
  service.kill('SIGKILL')
  process.exit(1)
}
