import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import type { EmbeddedConnection } from '../../src/database/pool.ts'
import { packageRoot } from '../../src/package-root.ts'

export interface SupervisorReport {
  pid: number
  origin: string
  connection: EmbeddedConnection
  error?: { name: string; message: string }
}

export interface SupervisorProgram {
  spawn(folder: string): ChildProcess
  start(folder: string): Promise<{ process: ChildProcess; report: SupervisorReport }>
  remove(): Promise<void>
}

/** Builds the child program once; Node 20 cannot run TypeScript by itself. */
export async function buildSupervisor(): Promise<SupervisorProgram> {
  // Inside the package, so that the bundle finds the installed packages.
  const outFolder = await mkdtemp(join(packageRoot, 'node_modules', '.supervisor-'))
  const outfile = join(outFolder, 'supervisor-child.mjs')
  await build({
    entryPoints: [fileURLToPath(new URL('supervisor-child.ts', import.meta.url))],
    outfile,
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    target: 'node20',
  })
  const children: ChildProcess[] = []
  const spawnChild = (folder: string) => {
    const child = spawn(process.execPath, [outfile, folder], { stdio: ['ignore', 'pipe', 'inherit'] })
    children.push(child)
    return child
  }
  return {
    spawn: spawnChild,
    async start(folder) {
      const child = spawnChild(folder)
      const [line] = await once(createInterface(child.stdout!), 'line')
      return { process: child, report: JSON.parse(line) }
    },
    async remove() {
      for (const child of children) child.kill('SIGKILL')
      await rm(outFolder, { recursive: true, force: true })
    },
  }
}

export async function kill(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  const gone = once(child, 'exit')
  child.kill(signal)
  await gone
}
