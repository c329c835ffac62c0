import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, copyFile, cp, mkdir, mkdtemp, readFile, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { DatabaseConnection } from '../../src/database/pool.ts'
import { isAlive, isServerOf, readPostmasterFile } from '../../src/embedded-postgres/postmaster-file.ts'
import { packageRoot } from '../../src/package-root.ts'

export type Settings = Record<string, string>

export interface Finished {
  code: number | null
  stdout: string
  stderr: string
}

export interface Service {
  readonly process: ChildProcess
  readonly baseUrl: string
  /** Time from the start of the process to its first response. */
  readonly answeredAfterMs: number
  stdout(): string
  stderr(): string
  /** Sends the signal and waits for the process to exit. */
  end(signal: NodeJS.Signals): Promise<{ code: number | null; afterMs: number }>
}

/** The service, to be started in its own folder. */
export interface Checkout {
  readonly folder: string
  /** Creates a data folder; its server is stopped and its files are removed with the checkout. */
  newDataDir(): Promise<string>
  start(settings: Settings, command?: readonly string[], patienceMs?: number): Promise<Service>
  run(args: readonly string[], settings?: Settings): Promise<Finished>
  /** Signals the process started last, such as a command that runs until it is stopped. */
  signalNewest(signal: NodeJS.Signals): void
  remove(): Promise<void>
}

/** This timeout only ends what hangs. */
const startTimeoutMs = 200_000

/**
 * Uses what the test run has built for it, or a copy of the sources as a new user has them after `npm ci`, or another
 * version that was built elsewhere.
 */
export async function makeCheckout({ isCopy = false, builtIn = packageRoot } = {}): Promise<Checkout> {
  const outside = await mkdtemp(join(tmpdir(), 'lw-checkout-'))
  await chmod(outside, 0o755)
  const folder = join(outside, 'loyalty-wallet')
  await mkdir(folder)
  if (isCopy) await copyPackage(folder)

  const children: ChildProcess[] = []
  const dataDirs: string[] = []
  const program = isCopy
    ? join(folder, 'dist/loyalty-wallet.js')
    : join(builtIn, 'dist/whole-loyalty-wallet.js')
  const launch = (file: string, args: readonly string[], settings: Settings) => {
    const startedAt = performance.now()
    // Only PATH is taken from the environment: a developer's DATABASE_URL must not be used. The demo is empty
    // by default.
    const env = {
      PATH: process.env.PATH ?? '',
      HOME: process.env.HOME ?? '',
      DEMO_DAYS: '0',
      ...settings,
    }
    const child = spawn(file, args, { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] })
    children.push(child)
    const said = { stdout: '', stderr: '' }
    child.stdout.setEncoding('utf8').on('data', (text) => {
      said.stdout += text
    })
    child.stderr.setEncoding('utf8').on('data', (text) => {
      said.stderr += text
    })
    return { child, said, startedAt, ended: once(child, 'close') }
  }

  return {
    folder,
    async newDataDir() {
      const dataDir = join(folder, `data-${dataDirs.length}`)
      dataDirs.push(dataDir)
      return dataDir
    },
    async start(
      settings,
      [file = process.execPath, ...args] = [process.execPath, program, 'serve'],
      patienceMs = startTimeoutMs,
    ) {
      const { child, said, startedAt, ended } = launch(file, args, { PORT: '0', ...settings })
      const deadline = Date.now() + patienceMs
      let baseUrl: string | undefined
      while (baseUrl === undefined) {
        if (child.exitCode !== null || child.signalCode !== null || Date.now() > deadline)
          throw new Error(`the service did not start: ${said.stderr}${said.stdout}`)
        baseUrl = /is ready at (\S+)\s/.exec(said.stdout)?.[1]
        if (!baseUrl) await new Promise((done) => setTimeout(done, 10))
      }
      if (baseUrl.startsWith('http:')) await fetch(`${baseUrl}/readyz`)
      return {
        process: child,
        baseUrl,
        answeredAfterMs: Math.round(performance.now() - startedAt),
        stdout: () => said.stdout,
        stderr: () => said.stderr,
        async end(signal) {
          const sentAt = performance.now()
          child.kill(signal)
          await ended
          return { code: child.exitCode, afterMs: Math.round(performance.now() - sentAt) }
        },
      }
    },
    async run(args, settings = {}) {
      const { child, said, ended } = launch(process.execPath, [program, ...args], { PORT: '0', ...settings })
      await ended
      return { code: child.exitCode, ...said }
    },
    signalNewest(signal) {
      children.at(-1)?.kill(signal)
    },
    async remove() {
      for (const child of children) {
        if (child.exitCode !== null || child.signalCode !== null) continue
        const gone = once(child, 'exit')
        child.kill('SIGKILL')
        await gone
      }
      for (const dataDir of dataDirs) await endServer(dataDir)
      await rm(outside, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 })
    },
  }
}

/** Copies the sources and what was built from them; what is only read is linked instead of copied. */
async function copyPackage(folder: string): Promise<void> {
  for (const file of ['package.json', 'package-lock.json', 'openapi.json', 'build.mjs', 'CHANGELOG.md'])
    await copyFile(join(packageRoot, file), join(folder, file))
  for (const name of ['migrations', 'scripts', 'dist'])
    await cp(join(packageRoot, name), join(folder, name), { recursive: true })
  for (const name of ['src', 'sdk', 'console', 'docs', 'node_modules'])
    await symlink(join(packageRoot, name), join(folder, name))
}

/** The process id of the PostgreSQL that runs on the data folder, if there is one. */
export async function findServerPid(dataDir: string): Promise<number | undefined> {
  const folder = join(dataDir, 'postgres')
  const file = await readPostmasterFile(folder)
  return file && (await isAlive(file.pid)) && (await isServerOf(file.pid, folder)) ? file.pid : undefined
}

async function endServer(dataDir: string): Promise<void> {
  const pid = await findServerPid(dataDir)
  if (pid === undefined) return
  process.kill(pid, 'SIGQUIT')
  // PostgreSQL writes to its folder until it has exited.
  while (await isAlive(pid)) await new Promise((done) => setTimeout(done, 20))
}

export interface DemoFile {
  baseUrl: string
  apiKey: string
  apiSecret: string
  adminToken: string
  organizationId: string
  campaignId: string
  consoleUrl: string
  consoleEmail: string
  consolePassword: string
}

export async function readDemo(dataDir: string): Promise<DemoFile> {
  return JSON.parse(await readFile(join(dataDir, 'demo.json'), 'utf8'))
}

/** The test database as a URL, as an operator would set it. */
export function urlOf(connection: DatabaseConnection): string {
  if (typeof connection === 'string') return connection
  const { host, port, user, database, password } = connection
  const login = password === undefined ? user : `${user}:${password}`
  return host.startsWith('/')
    ? `postgres://${login}@/${database}?host=${encodeURIComponent(host)}&port=${port}`
    : `postgres://${login}@${host}:${port}/${database}`
}

/** The settings that a service without the demo requires. */
export const ownSecrets = {
  ADMIN_TOKEN: 'admin-token-of-the-tests-0123456789',
  JWT_SECRET: 'jwt-secret-of-the-tests-0123456789-0123456789',
}
