import type { Context } from './command.ts'

const lineEveryMs = 10_000
const barEveryMs = 100

/**
 * Shows how far a long command is, its rate and the remaining time: a bar on a terminal, and a line from time to
 * time elsewhere. `more` is a second rate, such as that of bytes.
 */
export function createPace(context: Context, unit: string) {
  const startedAt = Date.now()
  let notedAt = startedAt
  let drawnAt = 0
  return (done: number, total: number, more?: (seconds: number) => string): void => {
    const now = Date.now()
    if (now - drawnAt < barEveryMs && done < total) return
    drawnAt = now
    const seconds = Math.max(0.001, (now - startedAt) / 1000)
    const rate = Math.round(done / seconds)
    const left = rate === 0 ? '' : `, ${toDuration((total - done) / rate)} left`
    const pace = `${rate.toLocaleString('en')} ${unit}/s${more ? `, ${more(seconds)}` : ''}${left}`
    context.progress(done, total, `${pace}: `)
    if (context.isInteractive || now - notedAt < lineEveryMs) return
    notedAt = now
    context.note(`${done} of ${total} ${unit}, ${pace}`)
  }
}

export function toDuration(seconds: number): string {
  if (seconds < 90) return `${Math.ceil(seconds)} s`
  return seconds < 5_400 ? `${Math.ceil(seconds / 60)} min` : `${(seconds / 3_600).toFixed(1)} h`
}

export function toSize(bytes: number): string {
  if (bytes < 1e6) return `${Math.ceil(bytes / 1e3)} KB`
  return bytes < 1e9 ? `${(bytes / 1e6).toFixed(1)} MB` : `${(bytes / 1e9).toFixed(2)} GB`
}
