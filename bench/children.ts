/** The processes of a measurement, which are bundles of their own, and the messages they answer. */
import { type ChildProcess, fork } from 'node:child_process'
import type { Profiler } from 'node:inspector'
import { join } from 'node:path'
import type { DatabaseConnection, SessionOptions } from '../src/database/pool.ts'
import { packageRoot } from '../src/package-root.ts'
import type { LoadPlan, LoadResult } from './load-client.ts'
import { nodeFlags } from './service.ts'

/** Started processes; a measurement ends them with `endChildren`, also after a failure. */
export type Children = ChildProcess[]

export function endChildren(children: Children): void {
  for (const child of children) child.kill()
}

export function startChild(children: Children, name: string, settings: object = {}): ChildProcess {
  const child = fork(join(packageRoot, `dist/bench/${name}.js`), [JSON.stringify(settings)], {
    execArgv: ['--expose-gc', ...nodeFlags],
  })
  children.push(child)
  return child
}

export function once<T>(child: ChildProcess): Promise<T> {
  return new Promise((resolve, reject) => {
    const ended = (code: number | null) => reject(new Error(`a part of the benchmark ended with ${code}`))
    child.once('exit', ended)
    child.once('message', (message) => {
      child.off('exit', ended)
      resolve(message as T)
    })
  })
}

function ask<T>(child: ChildProcess, question: object | string): Promise<T> {
  const answer = once<T>(child)
  child.send(question as object)
  return answer
}

/**
 * A client that fails when requests do: refusals are fast, and must not be mistaken for throughput. One that is there
 * to be refused says so.
 */
export function startClient(
  children: Children,
  { isRefused = false } = {},
): (plan: LoadPlan) => Promise<LoadResult> {
  const client = startChild(children, 'load-client')
  return async (plan) => {
    const result = await ask<LoadResult>(client, plan)
    if (result.failures > 0 && !isRefused)
      throw new Error(`${result.failures} of ${result.requests} requests failed`)
    return result
  }
}

export interface Database {
  readonly connection: DatabaseConnection
  readonly session: SessionOptions
}

export type BenchServer = Awaited<ReturnType<typeof startServer>>

/** The service in a process that says what it has used. Without groups, each basket is written by itself. */
export async function startServer(children: Children, database: Database, { isGrouped = true } = {}) {
  return measured(startChild(children, 'server', { ...database, isGrouped }))
}

/** The least that Node.js needs to answer a request with this response. */
export async function startEcho(children: Children, response: { headers: string[]; body: string }) {
  return measured(startChild(children, 'echo', response))
}

async function measured(child: ChildProcess) {
  const { port } = await once<{ port: number }>(child)
  return {
    port,
    memory: async () => (await ask<{ rssMb: number }>(child, 'memory')).rssMb,
    cpuUs: async () => (await ask<{ cpuUs: number }>(child, 'cpu')).cpuUs,
    startProfile: () => ask<object>(child, 'startProfile'),
    stopProfile: () => ask<{ profile: Profiler.Profile }>(child, 'stopProfile'),
  }
}
