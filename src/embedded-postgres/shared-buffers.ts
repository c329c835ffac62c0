import { readdir, stat } from 'node:fs/promises'
import { totalmem } from 'node:os'
import { join } from 'node:path'

const minMb = 128
const usualMb = 1024

/**
 * How much memory the server gets for its pages: as much as there is data, at least a gigabyte, and at most a
 * quarter of the memory of this machine or its container. PostgreSQL's own default of 128 MB is too small for
 * the indexes of a hundred thousand customers, and baskets then take twice as long. It is allocated as
 * needed.
 */
export async function chooseSharedBuffersMb(folder: string): Promise<number> {
  const wanted = Math.max(usualMb, (await sizeOf(join(folder, 'base'))) / 1_048_576)
  return Math.round(Math.max(minMb, Math.min(wanted, memoryMb() / 4)))
}

function memoryMb(): number {
  // 0 or an absurd number where the process has no limit.
  const limit = process.constrainedMemory() || totalmem()
  return Math.min(limit, totalmem()) / 1_048_576
}

/** 0 for a folder that does not exist yet, or that we may not read. */
async function sizeOf(folder: string): Promise<number> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
  const sizes = entries.map(async (entry) => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return sizeOf(path)
    return stat(path).then(
      ({ size }) => size,
      () => 0,
    )
  })
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
}
