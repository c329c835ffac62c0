/**
 * The version before this one, as far as the schema is concerned: the newest release whose migrations are a beginning
 * of ours, or without a release the newest commit that lacks at least one of them. It is built from the repository,
 * with its own sources and migrations and the packages that are installed.
 */
import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { packageRoot } from '../../src/package-root.ts'

const run = promisify(execFile)
const git = async (...args: string[]): Promise<string> =>
  (await run('git', args, { cwd: packageRoot, maxBuffer: 64 * 1024 * 1024 })).stdout.trim()

export interface OldVersion {
  readonly commit: string
  /** How many migrations it knows. */
  readonly migrations: number
  /** Whether it starts on a schema that a newer version declares to be compatible. */
  readonly knowsCompatibility: boolean
  readonly folder: string
  remove(): Promise<void>
}

/** A reason, if the repository does not have the history that is needed. */
export async function findOldCommit(): Promise<{ commit: string } | { missing: string }> {
  try {
    const names = (await readdir(join(packageRoot, 'migrations')))
      .filter((name) => name.endsWith('.sql'))
      .sort()
    const hashes = await git('hash-object', '--', ...names.map((name) => `migrations/${name}`))
    const ours = hashes.split('\n').map((hash, i) => `${hash} ${names[i]}`)
    for (const tag of lines(await git('tag', '--list', 'v*', '--merged', 'HEAD', '--sort=-v:refname'))) {
      if (isBeginning(await listFiles(tag), ours)) return { commit: tag }
    }
    for (const change of lines(await git('log', '--format=%H', '--', 'migrations'))) {
      const before = await git('rev-parse', '--verify', '--quiet', `${change}^`).catch(() => undefined)
      if (!before) continue
      const theirs = await listFiles(before)
      if (theirs.length < ours.length && isBeginning(theirs, ours)) return { commit: before }
    }
    return { missing: 'the history of this clone has no version with fewer migrations (a shallow clone?)' }
  } catch (error) {
    return { missing: `git cannot tell: ${(error as Error).message.split('\n')[0]}` }
  }
}

const lines = (text: string) => (text === '' ? [] : text.split('\n'))

/** `hash name` of each migration. */
async function listFiles(commit: string): Promise<string[]> {
  const listed = lines(await git('ls-tree', commit, 'migrations/'))
  return listed
    .map((line) => line.replace(/^\S+ \S+ (\S+)\tmigrations\//, '$1 '))
    .filter((file) => file.endsWith('.sql'))
}

const isBeginning = (theirs: readonly string[], ours: readonly string[]) =>
  theirs.length > 0 && theirs.every((file, i) => file === ours[i])

export async function buildOldVersion(commit: string): Promise<OldVersion> {
  const outside = await mkdtemp(join(tmpdir(), 'lw-old-version-'))
  const folder = join(outside, 'loyalty-wallet')
  await mkdir(folder)
  const archive = join(outside, 'sources.tar')
  await git(
    'archive',
    '--format=tar',
    `--output=${archive}`,
    commit,
    'src',
    'sdk',
    'docs',
    'scripts',
    'migrations',
    'openapi.json',
    'package.json',
  )
  await run('tar', ['-xf', archive, '-C', folder])
  await symlink(join(packageRoot, 'node_modules'), join(folder, 'node_modules'))
  const { wholeBundle } = await import(pathToFileURL(join(folder, 'scripts/bundle.mjs')).href)
  await build({ ...wholeBundle, absWorkingDir: folder, logLevel: 'silent' })
  // Nobody opens a page; the service itself reads this one file.
  await mkdir(join(folder, 'dist/web'))
  await cp(join(folder, 'openapi.json'), join(folder, 'dist/web/openapi.json'))
  const migrate = await readFile(join(folder, 'src/database/migrate.ts'), 'utf8')
  return {
    commit,
    migrations: (await readdir(join(folder, 'migrations'))).length,
    knowsCompatibility: migrate.includes('compatible_from'),
    folder,
    remove: () => rm(outside, { recursive: true, force: true }),
  }
}

/** What is built here, with the migration of a later version on top. */
export async function buildNextVersion(sql: string): Promise<{ folder: string; remove(): Promise<void> }> {
  const outside = await mkdtemp(join(tmpdir(), 'lw-next-version-'))
  const folder = join(outside, 'loyalty-wallet')
  await mkdir(join(folder, 'dist'), { recursive: true })
  for (const file of await readdir(join(packageRoot, 'dist'))) {
    if (file.startsWith('whole-')) await cp(join(packageRoot, 'dist', file), join(folder, 'dist', file))
  }
  await cp(join(packageRoot, 'package.json'), join(folder, 'package.json'))
  await cp(join(packageRoot, 'migrations'), join(folder, 'migrations'), { recursive: true })
  await symlink(join(packageRoot, 'node_modules'), join(folder, 'node_modules'))
  await symlink(join(packageRoot, 'dist/web'), join(folder, 'dist/web'))
  const number = String((await readdir(join(folder, 'migrations'))).length + 1).padStart(4, '0')
  await writeFile(join(folder, 'migrations', `${number}-of-tomorrow.sql`), sql)
  return { folder, remove: () => rm(outside, { recursive: true, force: true }) }
}
