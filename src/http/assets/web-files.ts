/**
 * The built pages, read into memory on the first request: a few dozen files, some of them precompressed.
 * Since names are looked up in a map, a path cannot escape the folder.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { Refused } from '../../domain/refusal.ts'
import { packageRoot } from '../../package-root.ts'
import { type Content, contentOf } from './send-content.ts'

const types: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.wasm': 'application/wasm',
}

let files: ReadonlyMap<string, Content> | undefined

/** Gets a file by its path below `dist/web`, such as `assets/console-1a2b.js`. */
export function getWebFile(name: string): Content {
  files ??= readFiles(join(packageRoot, 'dist/web'))
  const file = files.get(name)
  if (!file)
    throw new Refused(
      '_not_found',
      'The page does not exist. If every page is missing, build them: npm run build',
    )
  return file
}

function readFiles(folder: string): ReadonlyMap<string, Content> {
  let names: string[]
  try {
    names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  } catch {
    return new Map()
  }
  const known = new Set(names)
  const read = (name: string) => (known.has(name) ? readFileSync(join(folder, name)) : undefined)
  return new Map(
    names
      .filter((name) => types[extname(name)])
      .map((name) => {
        const file = contentOf(types[extname(name)]!, readFileSync(join(folder, name)))
        return [name.replaceAll('\\', '/'), { ...file, br: read(`${name}.br`), gzip: read(`${name}.gz`) }]
      }),
  )
}
