import { type LogLine, writes } from '../faults/call-log.ts'

/** A pause between two acknowledged writes that is longer than this is one without service. */
const noticedMs = 1_000

/**
 * How long callers had no service, from one moment to another: the sum of the pauses in which nothing that was to
 * be written was acknowledged to anybody.
 */
export function outageMs(lines: readonly LogLine[], from: number, to: number): number {
  const isWrite = new Set(
    lines.flatMap((line) => (line.kind === 'sent' && writes.includes(line.operation) ? [line.call] : [])),
  )
  const acknowledged = lines
    .flatMap((line) =>
      line.kind === 'answered' && line.status < 300 && isWrite.has(line.call) ? [line.at] : [],
    )
    .filter((at) => at > from && at < to)
    .sort((a, b) => a - b)
  const moments = [from, ...acknowledged, to]
  const pauses = moments.slice(1).map((at, i) => at - moments[i]!)
  return pauses.filter((ms) => ms > noticedMs).reduce((sum, ms) => sum + ms, 0)
}
