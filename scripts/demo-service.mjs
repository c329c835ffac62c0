// Starts the service as a reader of the README does: with `npm start`, in an empty data folder.
import { spawn } from 'node:child_process'
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
// Only ends what hangs: a start may have to build everything, next to other work, and fills the demo.
const startTimeoutMs = 120_000

/** The service writes `demo.json` once it accepts requests. */
export async function startDemoService(settings = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'lw-demo-'))
  // Under root, PostgreSQL runs as another user, who needs access to this folder.
  await chmod(folder, 0o755)
  const own = { PORT: '0', HOST: '127.0.0.1', DATA_DIR: join(folder, 'data'), DATABASE_URL: '' }
  const child = spawn('npm', ['start'], {
    cwd: root,
    env: { ...process.env, ...own, ...settings },
    stdio: ['ignore', 'pipe', 'inherit'],
    shell: process.platform === 'win32',
  })
  let log = ''
  child.stdout.on('data', (chunk) => {
    log += chunk
  })
  let hasEnded = false
  const ended = new Promise((resolve) => child.once('exit', resolve)).then(() => {
    hasEnded = true
  })

  async function stop() {
    child.kill('SIGTERM')
    await ended
    await rm(folder, { recursive: true, force: true })
  }

  async function waitForDemo() {
    const until = Date.now() + startTimeoutMs
    for (;;) {
      if (await readFile(join(folder, 'data/demo.json')).catch(() => undefined)) return
      if (hasEnded) throw new Error(`the service ended before it was ready:\n${log}`)
      if (Date.now() > until)
        throw new Error(`the service was not ready after ${startTimeoutMs / 1000} s:\n${log}`)
      await sleep(50)
    }
  }

  try {
    await waitForDemo()
    return { folder, log: () => log, stop }
  } catch (error) {
    await stop()
    throw error
  }
}
