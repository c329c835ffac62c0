/** The files of the migrations folder: the schema that this version needs, in steps. */
import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { packageRoot } from '../package-root.ts'

export interface Migration {
  readonly version: number
  readonly file: string
  readonly sql: string
  readonly checksum: string
  /** Versions whose newest migration is this one, or a later one, can run on the schema; undefined for none. */
  readonly compatibleFrom: number | undefined
}

/** The schema and this code do not belong together; the message says what to do. */
export class MigrationError extends Error {
  override name = 'MigrationError'
}

const ownFolder = join(packageRoot, 'migrations')
const fileName = /^(\d{4})-[a-z0-9]+(?:-[a-z0-9]+)*\.sql$/

/** The migrations that this version has, in order. */
export async function listMigrations(folder: string = ownFolder): Promise<Migration[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort()
  return Promise.all(
    names.map(async (file, index) => {
      const version = Number(fileName.exec(file)?.[1])
      if (version !== index + 1) {
        const expected = String(index + 1).padStart(4, '0')
        throw new MigrationError(
          `${file} is not a migration in order: expected a name like ${expected}-what-it-does.sql, with numbers that have neither gaps nor duplicates.`,
        )
      }
      // A checkout on Windows may have different line endings; that is not a change of the migration.
      const sql = (await readFile(join(folder, file), 'utf8')).replaceAll('\r\n', '\n')
      const checksum = createHash('sha256').update(sql).digest('hex')
      return { version, file, sql, checksum, compatibleFrom: readCompatibleFrom(sql) }
    }),
  )
}

/**
 * During a rolling upgrade, instances of the previous version go on, and may have to start again, on the schema of the
 * next one. A migration says in a line of its own which of them can: `-- Compatible from 0021.`
 */
export function readCompatibleFrom(sql: string): number | undefined {
  const [, version] = /^-- Compatible from (\d{4})\.$/m.exec(sql) ?? []
  return version === undefined ? undefined : Number(version)
}
