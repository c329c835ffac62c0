/** The container image, without building it: whether its builder gets all that it reads. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { build, type Loader } from 'esbuild'
import { beforeAll, describe, expect, test } from 'vitest'
import { webSources } from '../scripts/build-web.mjs'
import { bundle } from '../scripts/bundle.mjs'
import { packageRoot } from '../src/package-root.ts'

const textOf = (path: string) => readFileSync(join(packageRoot, path), 'utf8')

/** As Docker reads .dockerignore: the last pattern that fits a path, or a folder it is in, decides. */
function isAdmitted(path: string): boolean {
  const folders = path.split('/').map((_, i, parts) => parts.slice(0, i + 1).join('/'))
  return patterns.reduce(
    (admitted, { pattern, admits }) => (folders.some((one) => pattern.test(one)) ? admits : admitted),
    true,
  )
}

const patterns = textOf('.dockerignore')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))
  .map((line) => ({ pattern: toRegExp(line.replace(/^!/, '')), admits: line.startsWith('!') }))

function toRegExp(glob: string): RegExp {
  const source = glob
    .replaceAll(/[.+$()]/g, '\\$&')
    .replaceAll(/\*\*\/|\*/g, (stars) => (stars === '*' ? '[^/]*' : '(?:.*/)?'))
  return new RegExp(`^${source}$`)
}

const unread = ['.css', '.svg', '.wasm', '.png', '.woff2']

/** The files that are read to bundle these, without the packages. */
async function filesOf(entryPoints: readonly string[]): Promise<string[]> {
  const { metafile } = await build({
    ...bundle,
    entryPoints: entryPoints.map((path) => join(packageRoot, path)),
    absWorkingDir: packageRoot,
    loader: Object.fromEntries(unread.map((ending) => [ending, 'empty' as Loader])),
    jsx: 'automatic',
    metafile: true,
    write: false,
    logLevel: 'silent',
  })
  return Object.keys(metafile.inputs).filter((path) => !path.includes('node_modules/'))
}

const pages = ['main.tsx', 'till/main.tsx', 'wallet/main.tsx', 'enroll/main.tsx']
const read = { service: [] as string[], pages: [] as string[], build: [] as string[] }

beforeAll(async () => {
  const entries = bundle.entryPoints.map((path) => path.slice(packageRoot.length + 1))
  read.service = await filesOf(entries)
  read.pages = await filesOf(pages.map((page) => `console/${page}`))
  read.build = await filesOf(['build.mjs', 'console/vite.config.ts'])
})

describe('the image', () => {
  test('its builder gets every file that the build reads', () => {
    expect(read.service).toContain('src/app/serve.ts')
    expect(read.pages).toContain('src/files/csv.ts')
    expect(read.build).toContain('scripts/build-docs.mjs')
    const all = [...read.service, ...read.pages, ...read.build, ...webSources]
    expect(all.filter((path) => !isAdmitted(path))).toEqual([])
    // esbuild reads these as well, of each folder with sources.
    const settings = ['package.json', 'tsconfig.json'].flatMap((name) => [
      name,
      `console/${name}`,
      `sdk/${name}`,
    ])
    expect(settings.filter((path) => !isAdmitted(path))).toEqual([])
  })

  test('its builder gets every file that the Dockerfile copies', () => {
    const copied = [...textOf('Dockerfile').matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, paths]) =>
      paths!.split(' ').filter((path) => path !== '.'),
    )
    expect(copied).toContain('deploy/healthcheck.mjs')
    expect(copied.filter((path) => !isAdmitted(path))).toEqual([])
  })

  test('its pages are compressed as those of a release', () => {
    expect(textOf('Dockerfile')).toContain('RUN node build.mjs --for-release')
  })

  test('its builder gets nothing that is secret, installed or generated', () => {
    const others = [
      '.env',
      '.git/config',
      'data/secrets.json',
      'node_modules/esbuild/package.json',
      'console/node_modules/typescript/package.json',
      'dist/main.js',
      'sdk/dist/index.js',
      'sdk/src/api.ts',
      'console/api/schema.d.ts',
      'src/files/csv.test.ts',
      'test/tidy.test.ts',
    ]
    expect(others.filter(isAdmitted)).toEqual([])
  })
})

describe('the pages', () => {
  test('are built again when any file changes that they are made of', () => {
    const isNamed = (path: string) =>
      webSources.some((source) => path === source || path.startsWith(`${source}/`))
    expect(read.pages.filter((path) => !isNamed(path))).toEqual([])
  })
})
