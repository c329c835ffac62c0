/** CPU time of processes, as Linux counts it; other systems have nothing to read. */
import { readdirSync, readFileSync } from 'node:fs'

const tickUs = 10_000

export interface HostTime {
  readonly used: number
  /** What this computer, a virtual one, could have used as well, but its host gave to others. */
  readonly taken: number
}

/** Since the computer was started, in ticks. */
export function readHostTime(): HostTime | undefined {
  try {
    const [user, nice, system, , , irq, softirq, taken] = readFileSync('/proc/stat', 'utf8')
      .split('\n', 1)[0]!
      .trim()
      .split(/\s+/)
      .slice(1)
      .map(Number)
    return { used: user! + nice! + system! + irq! + softirq!, taken: taken! }
  } catch {
    return undefined
  }
}

/** CPU time of a process and of its children: the service with its workers. */
export function cpuOfFamily(pid: number): number | undefined {
  const own = readStat(String(pid))
  const children = cpuOfChildren(pid)
  return own && children !== undefined ? own.ticks * tickUs + children : undefined
}

/** CPU time of a process's children, both running and exited: PostgreSQL's backends. */
export function cpuOfChildren(parent: number): number | undefined {
  try {
    // What children that have exited used is counted with the parent.
    let ticks = readStat(String(parent))?.ticksOfExited ?? 0
    for (const name of readdirSync('/proc')) {
      if (!/^\d+$/.test(name)) continue
      const stat = readStat(name)
      if (stat && stat.parent === parent) ticks += stat.ticks
    }
    return ticks * tickUs
  } catch {
    return undefined
  }
}

function readStat(pid: string): { parent: number; ticks: number; ticksOfExited: number } | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
    const [user, system, userOfExited, systemOfExited] = fields.slice(11, 15).map(Number)
    return {
      parent: Number(fields[1]),
      ticks: user! + system!,
      ticksOfExited: userOfExited! + systemOfExited!,
    }
  } catch {
    return undefined
  }
}
