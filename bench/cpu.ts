/** What processes used of the processors, as Linux counts it; elsewhere there is nothing to read. */
import { readdirSync, readFileSync } from 'node:fs'

const tickUs = 10_000

/** Of a process's children that live now, together with what those that ended have used: PostgreSQL's backends. */
export function cpuOfChildren(parent: number): number | undefined {
  try {
    let ticks = 0
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

function readStat(pid: string): { parent: number; ticks: number } | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
    return { parent: Number(fields[1]), ticks: Number(fields[11]) + Number(fields[12]) }
  } catch {
    return undefined
  }
}
