/**
 * A service with the living demo for each worker, started as `npm start` does: no journey changes what another counts.
 * And the browser they share.
 */
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { TestProject } from 'vitest/node'
import { packageRoot } from '../../src/package-root.ts'

export interface DemoFile {
  readonly baseUrl: string
  readonly apiKey: string
  readonly apiSecret: string
  readonly adminToken: string
  readonly organizationId: string
  readonly campaignId: string
  readonly consoleUrl: string
  readonly consoleEmail: string
  readonly consolePassword: string
}

declare module 'vitest' {
  interface ProvidedContext {
    demos: readonly DemoFile[]
    /** The path of one that starts. */
    browser: string
  }
}

/** Against one that hangs, and nothing else: the ninety days of a demo are filled in seconds, or on a busy computer in minutes. */
const hangsAfterMs = 300_000

export default async function start(project: TestProject): Promise<() => Promise<void>> {
  // Before the workers begin: the one that comes with npm is unpacked when it is first asked for, and of two that ask
  // at the same time the second would start half a file.
  project.provide('browser', await findBrowser())
  const services = await Promise.all(Array.from({ length: project.config.maxWorkers }, startService))
  project.provide(
    'demos',
    services.map(({ demo }) => demo),
  )
  return async () => {
    await Promise.all(services.map(({ stop }) => stop()))
  }
}

async function findBrowser(): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [
    join(packageRoot, 'scripts/find-browser.mjs'),
  ])
  return stdout.trim()
}

async function startService(): Promise<{ demo: DemoFile; stop: () => Promise<void> }> {
  const dataDir = await mkdtemp(join(tmpdir(), 'lw-browser-'))
  // As root the database runs as another user, who has to pass through here.
  await chmod(dataDir, 0o755)
  const child = spawn(process.execPath, [join(packageRoot, 'dist/loyalty-wallet.js'), 'serve'], {
    cwd: dataDir,
    env: { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '', PORT: '0', DATA_DIR: dataDir },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let said = ''
  child.stderr.setEncoding('utf8').on('data', (text) => {
    said += text
  })
  const ended = once(child, 'close')
  const demo = await readDemo(join(dataDir, 'demo.json'), () => said, child)
  return {
    demo,
    async stop() {
      child.kill('SIGTERM')
      await ended
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}

async function readDemo(
  file: string,
  said: () => string,
  child: { exitCode: number | null },
): Promise<DemoFile> {
  const until = Date.now() + hangsAfterMs
  while (Date.now() < until && child.exitCode === null) {
    const text = await readFile(file, 'utf8').catch(() => undefined)
    if (text) return JSON.parse(text)
    await sleep(100)
  }
  throw new Error(`The service did not start: ${said()}`)
}
