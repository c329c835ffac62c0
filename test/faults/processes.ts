import type { ChildProcess } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { ownSecrets, type Service, type Settings, urlOf } from '../support/checkout.ts'
import { isOnNodes } from '../support/cluster.ts'
import type { FaultPlan, FaultReport } from './fault-child.ts'
import type { LoadPlan, LoadReport } from './load-child.ts'
import type { Scene } from './scene.ts'
import type { Folder, Place, Storm, StormOptions } from './storm.ts'

/** Until then one that was struck is waited for; whether it was in time is checked afterwards. */
const endTimeoutMs = 60_000

/** The service, one process or several, and started again whenever a strike has ended it. */
export async function startServices(
  scene: Scene,
  storm: Storm,
  { pidFile, clockFile, dataDir, connection }: Folder,
  proxyPort: number | undefined,
  problems: string[],
) {
  const target =
    connection && (proxyPort ? { ...connection, host: '127.0.0.1', port: proxyPort } : connection)
  const settings: Settings = {
    ...ownSecrets,
    DEMO: '0',
    RATE_LIMIT: 'off',
    ...(target ? { DATABASE_URL: urlOf(target) } : { DATA_DIR: dataDir }),
    ...(isOnNodes && { CLUSTER_DIRECT: '1' }),
    NODE_OPTIONS: `--import ${pathToFileURL(scene.programFile('clock-child'))}`,
    CLOCK_OFFSET_FILE: clockFile,
    ...storm.settings,
  }
  const started: Service[] = []
  const ends: { at: number; code: number | null; signal: NodeJS.Signals | null }[] = []
  let isStopping = false
  let restarting: Promise<void> = Promise.resolve()

  const start = async (port: string): Promise<Service> => {
    const service = await scene.checkout.start({ ...settings, PORT: port })
    started.push(service)
    const { pid } = service.process
    writeFileSync(pidFile, String(pid))
    service.process.once('exit', (code, signal) => {
      if (isStopping) return
      ends.push({ at: Date.now(), code, signal })
      if (!storm.ends) problems.push(`a process ended by itself (${signal ?? code})`)
      // On the port it had, where its clients look for it.
      else restarting = start(new URL(service.baseUrl).port).then(() => {})
    })
    return service
  }
  const first: Service[] = []
  for (let i = 0; i < (storm.services ?? 1); i++) first.push(await start('0'))
  const struckAt = (reports: readonly FaultReport[]) =>
    reports.flatMap((report) => (report.event === 'struck' ? [report.at] : []))

  return {
    baseUrls: first.map(({ baseUrl }) => baseUrl),
    log: () => started.map((service) => service.stdout()).join('\n'),
    /** Every process that was struck has ended and has a successor. */
    async restarted(reports: readonly FaultReport[]) {
      const deadline = Date.now() + (storm.ends ? endTimeoutMs : 0)
      while (ends.length < struckAt(reports).length && Date.now() < deadline) await sleep(10)
      await restarting
    },
    checkEnds(reports: readonly FaultReport[]): string[] {
      const { ends: wanted } = storm
      if (!wanted) return []
      const struck = struckAt(reports)
      const wrong = ends.filter(
        ({ code, signal, at }, i) =>
          code !== wanted.code ||
          signal !== wanted.signal ||
          at - struck[i]! > (wanted.withinMs ?? Number.POSITIVE_INFINITY),
      )
      const counted =
        ends.length === struck.length ? [] : [`${struck.length} strikes ended ${ends.length} processes`]
      return [...counted, ...wrong.map((end) => `a process ended as ${JSON.stringify(end)}`)]
    },
    async stop() {
      isStopping = true
      await restarting
      for (const service of started) {
        if (service.process.exitCode !== null || service.process.signalCode !== null) continue
        const { code } = await service.end('SIGTERM')
        if (code !== 0) problems.push(`told to stop, the service ended with ${code}`)
      }
    },
  }
}

export async function startInjector(
  child: ChildProcess,
  storm: Storm,
  place: Folder | Place,
  { seed, longMs }: StormOptions,
  durationMs = longMs ?? storm.shortMs,
) {
  const reports: FaultReport[] = []
  let onReady: (port: number | undefined) => void = () => {}
  const ready = new Promise<number | undefined>((resolve) => {
    onReady = resolve
  })
  const done = new Promise<Extract<FaultReport, { event: 'done' }>>((resolve, reject) => {
    child.on('message', (report: FaultReport) => {
      reports.push(report)
      if (report.event === 'ready') onReady(report.port)
      if (report.event === 'done') resolve(report)
      if (report.event === 'failed') reject(new Error(report.reason))
    })
  })
  done.catch(() => {})
  const plan: FaultPlan = {
    seed,
    fault: storm.fault(place as Place, longMs === undefined ? 'short' : 'long'),
    durationMs,
    pauseMs: storm.pauseMs,
    mustBeFelt: storm.turnsUnready === true || storm.cutsAnswers === true,
  }
  child.send(plan)
  return { port: await Promise.race([ready, done.then(() => undefined)]), done, reports }
}

export function startLoad(child: ChildProcess, plan: LoadPlan) {
  const wait = (event: LoadReport['event']) =>
    new Promise<void>((resolve, reject) => {
      child.on('message', (report: LoadReport) => {
        if (report.event === event) resolve()
        if (report.event === 'failed') reject(new Error(report.reason))
      })
      child.once('exit', () => reject(new Error('the load process ended')))
    })
  const ready = wait('ready')
  const done = wait('done')
  done.catch(() => {})
  child.send(plan)
  return {
    ready,
    async finish() {
      child.send('stop')
      await done
      child.disconnect()
    },
  }
}
