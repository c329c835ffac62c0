import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/**
 * The folder of our package.json. Files that ship with the code (migrations, pages) are located
 * from here, because the code itself runs from `src/` in the tests and from a bundle in `dist/` otherwise.
 */
export const packageRoot: string = findPackageRoot(dirname(fileURLToPath(import.meta.url)))

function findPackageRoot(start: string): string {
  for (let folder = start; ; folder = dirname(folder)) {
    if (packageName(join(folder, 'package.json')) === 'loyalty-wallet') return folder
    if (dirname(folder) === folder) {
      throw new Error(
        `No package.json of loyalty-wallet in ${start} or above it; the installation is incomplete.`,
      )
    }
  }
}

function packageName(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8')).name
  } catch {
    return undefined
  }
}

export function packageVersion(): string {
  return JSON.parse(readFileSync(join(packageRoot, 'package.json'), 'utf8')).version
}
