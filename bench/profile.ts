/** Where a process spent its time: the functions that used most of it, and which package they belong to. */
import type { Profiler } from 'node:inspector'

export interface ProfileLine {
  readonly share: number
  readonly name: string
}

export function summarize(profile: Profiler.Profile): { owners: ProfileLine[]; functions: ProfileLine[] } {
  const nodes = new Map(profile.nodes.map((node) => [node.id, node.callFrame]))
  const owners = new Map<string, number>()
  const functions = new Map<string, number>()
  let total = 0
  profile.samples?.forEach((id, i) => {
    const frame = nodes.get(id)!
    // Waiting, and the profiler's own work when it stops.
    if (frame.functionName === '(idle)' || (frame.functionName === 'dispatch' && frame.url === '')) return
    const spent = profile.timeDeltas![i]!
    total += spent
    add(owners, ownerOf(frame), spent)
    add(functions, `${frame.functionName || 'anonymous'} (${ownerOf(frame)})`, spent)
  })
  const sorted = (counts: Map<string, number>) =>
    [...counts].map(([name, spent]) => ({ name, share: spent / total })).sort((a, b) => b.share - a.share)
  return { owners: sorted(owners), functions: sorted(functions).slice(0, 25) }
}

function add(counts: Map<string, number>, name: string, spent: number): void {
  counts.set(name, (counts.get(name) ?? 0) + spent)
}

function ownerOf({ functionName, url }: { functionName: string; url: string }): string {
  if (functionName === '(garbage collector)') return 'garbage collector'
  const packaged = /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)
  if (packaged) return packaged[1]!
  if (url.startsWith('node:')) return 'node'
  return url === '' ? 'system calls and the engine' : 'this project'
}
