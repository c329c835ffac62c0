/** What a measured process tells about itself. */
import { Session } from 'node:inspector/promises'

/** Tells the parent where it listens, and answers its questions until the parent is gone. */
export function answerParent(port: number): void {
  const session = new Session()
  session.connect()
  const answers: Record<string, () => object | Promise<object>> = {
    memory() {
      globalThis.gc?.()
      return { rssMb: process.memoryUsage().rss / 1_048_576 }
    },
    cpu() {
      const { user, system } = process.cpuUsage()
      return { cpuUs: user + system }
    },
    async startProfile() {
      await session.post('Profiler.enable')
      await session.post('Profiler.start')
      return {}
    },
    stopProfile: () => session.post('Profiler.stop'),
  }
  process.on('message', async (message: string) => process.send?.(await answers[message]!()))
  process.on('disconnect', () => process.exit(0))
  process.send?.({ port })
}
