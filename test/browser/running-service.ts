/** A service with the living demo for each worker, started as `npm start` does: no journey changes what another counts. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
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
  }
}

const startTimeoutMs = 60_000

export default async function start(project: TestProject): Promise<() => Promise<void>> {
  const services = await Promise.all(Array.from({ length: project.config.maxWorkers }, startService))
  project.provide(
    'demos',
    services.map(({ demo }) => demo),
  )
  return async () => {
    await Promise.all(services.map(({ stop }) => stop()))
  }
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
  const until = Date.now() + startTimeoutMs
  while (Date.now() < until && child.exitCode === null) {
    const text = await readFile(file, 'utf8').catch(() => undefined)
    if (text) return JSON.parse(text)
    await sleep(100)
  }
  throw new Error(`The service did not start: ${said()}`)
}
