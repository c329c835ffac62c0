/** The service as an operator starts it, with any number of worker processes. */
import { type ChildProcess, spawn } from 'node:child_process'
import { createServer } from 'node:net'
import { join } from 'node:path'
import type { DatabaseConnection } from '../src/database/pool.ts'
import { packageRoot } from '../src/package-root.ts'
import { benchSecrets } from './fixture.ts'

/** The Node.js flags of `npm start`. */
export const nodeFlags = ['--max-semi-space-size=32']

export async function startService(
  children: ChildProcess[],
  connection: DatabaseConnection,
  workers: number,
  settings: Record<string, string> = {},
): Promise<{ port: number; pid: number; stop(): Promise<void> }> {
  const port = await freePort()
  const child = spawn(
    process.execPath,
    [...nodeFlags, join(packageRoot, 'dist/loyalty-wallet.js'), 'serve'],
    {
      stdio: 'ignore',
      env: {
        ...process.env,
        DATABASE_URL: toUrl(connection),
        PORT: String(port),
        WORKERS: String(workers),
        JWT_SECRET: benchSecrets.jwtSecret,
        CREDENTIAL_PEPPER: benchSecrets.credentialPepper,
        ADMIN_TOKEN: benchSecrets.adminToken,
        RATE_LIMIT: 'off',
        DEMO: '0',
        ...settings,
      },
    },
  )
  children.push(child)
  await untilReady(child, port)
  return {
    port,
    pid: child.pid!,
    stop: () =>
      new Promise((resolve) => {
        child.once('exit', () => resolve())
        child.kill('SIGTERM')
      }),
  }
}

export function toUrl(connection: DatabaseConnection): string {
  if (typeof connection === 'string') return connection
  const { user, password = '', host, port, database } = connection
  const login = `${encodeURIComponent(user)}:${encodeURIComponent(password)}`
  return `postgres://${login}@/${database}?host=${encodeURIComponent(host)}&port=${port}`
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number }
      server.close(() => resolve(port))
    })
  })
}

async function untilReady(child: ChildProcess, port: number): Promise<void> {
  for (let i = 0; i < 200; i++) {
    if (child.exitCode !== null) throw new Error(`the service exited with ${child.exitCode}`)
    const answer = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined)
    if (answer?.ok) return
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  throw new Error('the service did not become ready')
}
