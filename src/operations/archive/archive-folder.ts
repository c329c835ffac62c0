/**
 * The folder of an organization's archive: numbered files of rows, and a manifest with a line for each of
 * them. A file is complete from the moment it has its name, and is part of the archive once the database has
 * committed its number; a file with a number that was never committed is overwritten by the next one.
 */
import { createHash } from 'node:crypto'
import { mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import { type ArchivedRows, type ArchivedTable, archivedTables } from '../../store/wallets/archive.ts'

const pack = promisify(gzip)
const unpack = promisify(gunzip)

/** What the manifest says about a file. */
export interface FileEntry {
  readonly sha256: string
  readonly bytes: number
  /** Number of rows of each table. */
  readonly rows: Partial<Record<ArchivedTable, number>>
  /** The first and the last time at which what it holds was created. */
  readonly from: string
  readonly to: string
  /** The date that the command was given. */
  readonly before: string
}

export interface ManifestLine extends FileEntry {
  readonly file: string
  readonly archivedAt: string
}

export interface ArchiveFolder {
  readonly path: string
  /** The number of the last file in the manifest; 0 without any. */
  last: number
}

const manifestName = 'manifest.ndjson'
export const fileName = (number: number) => `${String(number).padStart(6, '0')}.ndjson.gz`

export async function openArchiveFolder(directory: string, organization: string): Promise<ArchiveFolder> {
  const path = resolve(directory, organization)
  for (const name of await readdir(path).catch(unlessMissing([])))
    if (name.endsWith('.tmp')) await rm(join(path, name))
  const { lines, isTorn } = await readManifest(path)
  // A line that was cut off by a power failure is written again from the database.
  if (isTorn) await replaceManifest(path, lines)
  return { path, last: Math.max(0, ...lines.map(({ file }) => Number.parseInt(file, 10))) }
}

export interface Pending {
  readonly path: string
  readonly entry: FileEntry
}

/** Writes rows to a file without a name yet, and waits until they are on the disk. */
export async function writePending(
  { path: folder }: ArchiveFolder,
  archived: ArchivedRows,
  range: Pick<FileEntry, 'from' | 'to' | 'before'>,
): Promise<Pending> {
  const lines: string[] = []
  const rows: FileEntry['rows'] = {}
  for (const table of archivedTables) {
    const own = archived[table] ?? []
    if (own.length > 0) rows[table] = own.length
    for (const { row } of own) lines.push(`{"table":"${table}","row":${row}}\n`)
  }
  const bytes = await pack(lines.join(''))
  await makeFolder(folder)
  const path = join(folder, `${process.pid}.tmp`)
  await writeSynced(path, bytes)
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  return { path, entry: { sha256, bytes: bytes.length, rows, ...range } }
}

/** Gives a file its name, within the transaction that deletes its rows. */
export async function namePending(folder: ArchiveFolder, pending: Pending, number: number): Promise<void> {
  if (number <= folder.last)
    throw new Error(
      `${folder.path} already has file ${number}, and the database does not know it: it belongs to another database, or this one was restored from a backup. Choose another directory.`,
    )
  await rename(pending.path, join(folder.path, fileName(number)))
  await syncFolder(folder.path)
}

export async function appendToManifest(
  folder: ArchiveFolder,
  number: number,
  line: ManifestLine,
): Promise<void> {
  const file = await open(join(folder.path, manifestName), 'a')
  try {
    await file.appendFile(toLine(line))
    await file.sync()
  } finally {
    await file.close()
  }
  await syncFolder(folder.path)
  folder.last = number
}

const toLine = (line: ManifestLine) => `${JSON.stringify(line)}\n`

async function replaceManifest(folder: string, lines: readonly ManifestLine[]): Promise<void> {
  const path = join(folder, 'manifest.tmp')
  await writeSynced(path, lines.map(toLine).join(''))
  await rename(path, join(folder, manifestName))
  await syncFolder(folder)
}

async function writeSynced(path: string, content: Buffer | string): Promise<void> {
  const file = await open(path, 'w')
  try {
    await file.writeFile(content)
    await file.sync()
  } finally {
    await file.close()
  }
}

/** A new folder must survive a power failure as its files do, and so must every new one above it. */
async function makeFolder(path: string): Promise<void> {
  const first = await mkdir(path, { recursive: true })
  if (first === undefined) return
  for (let made = path; made.length >= first.length; made = dirname(made)) await syncFolder(dirname(made))
}

/** Makes a new name permanent. Windows cannot open folders, and keeps names by itself. */
async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}

async function readManifest(folder: string): Promise<{ lines: ManifestLine[]; isTorn: boolean }> {
  const path = join(folder, manifestName)
  const text = await readFile(path, 'utf8').catch(unlessMissing(''))
  const whole = text.slice(0, text.lastIndexOf('\n') + 1)
  try {
    const lines = whole.split('\n').filter((line) => line !== '')
    return { lines: lines.map((line) => JSON.parse(line)), isTorn: whole.length < text.length }
  } catch (error) {
    throw new Error(`${path} is damaged. Restore it from a copy.`, { cause: error })
  }
}

const unlessMissing =
  <T>(otherwise: T) =>
  (error: NodeJS.ErrnoException): T => {
    if (error.code === 'ENOENT') return otherwise
    throw error
  }

/** The sum of a file, if the folder has it. */
export async function sumOf({ path }: ArchiveFolder, file: string): Promise<string | undefined> {
  const bytes = await readFile(join(path, file)).catch(unlessMissing(undefined))
  return bytes && createHash('sha256').update(bytes).digest('hex')
}

export interface Verified {
  readonly files: number
  readonly rows: number
  readonly problems: readonly string[]
}

/** Compares every file of an archive with its manifest. */
export async function verifyArchive(directory: string): Promise<Verified> {
  const problems: string[] = []
  let files = 0
  let rows = 0
  const entries = await readdir(directory, { withFileTypes: true }).catch(unlessMissing([]))
  for (const { name } of entries.filter((entry) => entry.isDirectory())) {
    const folder = join(directory, name)
    const { lines, isTorn } = await readManifest(folder)
    if (isTorn) problems.push(`${name}: the end of the manifest is missing. Run the archive command again.`)
    for (const line of lines) {
      const problem = await checkFile(folder, line)
      if (problem) problems.push(`${name}/${line.file}: ${problem}`)
      files++
      rows += sumRows(line)
    }
  }
  if (files === 0) problems.push(`${directory} has no archive.`)
  return { files, rows, problems }
}

export const sumRows = ({ rows }: Pick<FileEntry, 'rows'>) =>
  Object.values(rows).reduce((sum, count) => sum + count, 0)

async function checkFile(folder: string, { file, sha256, rows }: ManifestLine): Promise<string | undefined> {
  const bytes = await readFile(join(folder, file)).catch(unlessMissing(undefined))
  if (!bytes) return 'the file is missing.'
  if (createHash('sha256').update(bytes).digest('hex') !== sha256)
    return 'the file has changed since it was written.'
  const found: Record<string, number> = {}
  for (const line of (await unpack(bytes)).toString().split('\n')) {
    if (line === '') continue
    const { table } = JSON.parse(line) as { table: string }
    found[table] = (found[table] ?? 0) + 1
  }
  const isSame = archivedTables.every((table) => (found[table] ?? 0) === (rows[table] ?? 0))
  return isSame ? undefined : 'the numbers of its rows are not those of the manifest.'
}
