/**
 * Metrics of several processes on one port. The process that gets the request reports the metrics of all of
 * them: if each reported only its own, a counter would jump depending on which process happened to respond.
 * Only the primary can reach the others, so a worker asks it, and it asks every worker.
 */
import type { Worker } from 'node:cluster'
import { setTimeout as sleep } from 'node:timers/promises'
import { AggregatorRegistry, type MetricObjectWithValues, type MetricValue, type Registry } from 'prom-client'

type Measured = MetricObjectWithValues<MetricValue<string>>[]

type Message =
  | { readonly metrics: 'gather' | 'tell'; readonly id: number }
  | { readonly metrics: 'gathered'; readonly id: number; readonly text: string }
  | { readonly metrics: 'told'; readonly id: number; readonly measured: Measured }

/** Whether a message between the processes is about metrics. */
export function isAboutMetrics(message: unknown): message is Message {
  return typeof message === 'object' && message !== null && 'metrics' in message
}

/** A worker that hangs or has just been killed is left out. */
const tellTimeoutMs = 1_000

/** In a worker: reports its own metrics when asked, and reads those of all workers. */
export function createWorkerMetrics(registry: Registry): () => Promise<string> {
  const asked = new Map<number, (text: string) => void>()
  process.on('message', async (message) => {
    if (!isAboutMetrics(message)) return
    if (message.metrics === 'gathered') asked.get(message.id)?.(message.text)
    if (message.metrics !== 'tell') return
    const measured = (await registry.getMetricsAsJSON()) as Measured
    process.send?.({ metrics: 'told', id: message.id, measured } satisfies Message)
  })
  let questions = 0
  return async () => {
    const id = ++questions
    const gathered = new Promise<string>((resolve) => asked.set(id, resolve))
    process.send?.({ metrics: 'gather', id } satisfies Message)
    const text = await Promise.race([gathered, sleep(2 * tellTimeoutMs, undefined, { ref: false })])
    asked.delete(id)
    // If the primary does not respond, this process still has its own metrics.
    return text ?? registry.metrics()
  }
}

/**
 * In the primary: responds to the workers, and adds its own metrics. `listWorkers` returns those that
 * currently handle requests.
 */
export function createMetricsGatherer(listWorkers: () => readonly Worker[], own: Registry) {
  let questions = 0
  const ask = (worker: Worker): Promise<Measured | undefined> => {
    const id = ++questions
    let onMessage: (message: unknown) => void = () => {}
    const told = new Promise<Measured>((resolve) => {
      onMessage = (message) => {
        if (isAboutMetrics(message) && message.metrics === 'told' && message.id === id)
          resolve(message.measured)
      }
      worker.on('message', onMessage)
      worker.send({ metrics: 'tell', id } satisfies Message)
    })
    const late = sleep(tellTimeoutMs, undefined, { ref: false })
    return Promise.race([told, late]).finally(() => worker.off('message', onMessage))
  }
  return async (worker: Worker, message: unknown): Promise<void> => {
    if (!isAboutMetrics(message) || message.metrics !== 'gather') return
    const ours = own.getMetricsAsJSON() as Promise<Measured>
    const all = await Promise.all([ours, ...listWorkers().map(ask)])
    const text = await AggregatorRegistry.aggregate(
      all.filter((measured) => measured !== undefined),
    ).metrics()
    if (worker.isConnected()) worker.send({ metrics: 'gathered', id: message.id, text } satisfies Message)
  }
}
