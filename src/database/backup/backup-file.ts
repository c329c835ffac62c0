/**
 * The file of a backup: a readable header, then pieces that are compressed, sealed, and numbered by their order.
 * It is written under another name and gets its own when it is complete and on the disk.
 */
import { randomBytes } from 'node:crypto'
import { type FileHandle, open, rename, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, brotliDecompress, constants } from 'node:zlib'
import { createSeal, deriveKey, type Seal, tagBytes } from './seal.ts'

/** What anyone can read of a file. */
export interface BackupHeader {
  readonly format: number
  readonly createdAt: string
  readonly serviceVersion: string
  /** The major version of the PostgreSQL that it was read from. */
  readonly postgres: number
  /** What made the schema, in order. */
  readonly migrations: readonly { readonly file: string; readonly checksum: string }[]
  /** Only an encrypted file has one. */
  readonly salt?: string
}

/** The file cannot be used; the message says why and what to do. */
export class BackupFileError extends Error {
  override name = 'BackupFileError'
}

export type PieceKind = 'contents' | 'table' | 'rows' | 'table end' | 'summary'
const kinds: readonly PieceKind[] = ['contents', 'table', 'rows', 'table end', 'summary']

const magic = Buffer.from('LOYALTY-WALLET-BACKUP\n')
const format = 1
const maxHeaderBytes = 1_048_576
/** More than a piece ever has: a length that was altered must not fill the memory. */
const maxPieceBytes = 67_108_864
const lastFlag = 0x80000000
/** Compressed at the same time, on other threads than this one. */
const piecesAtOnce = 4

const pack = promisify<Buffer, object, Buffer>(brotliCompress)
const unpack = promisify<Buffer, object, Buffer>(brotliDecompress)
/**
 * Of rows as a merchant has them, this makes a seventh at 230 MB a second and processor. Deflate at its fastest
 * makes a sixth at 170, and the next qualities are no smaller and half as fast.
 */
const packing = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }

export interface BackupWriter {
  write(kind: PieceKind, content: Buffer): Promise<void>
  /** Writes the last piece and gives the file its name; returns its size. */
  finish(summary: Buffer): Promise<number>
  /** Removes what was written. */
  discard(): Promise<void>
}

export async function createBackupFile(
  path: string,
  about: Omit<BackupHeader, 'format' | 'salt'>,
  passphrase: string | undefined,
): Promise<BackupWriter> {
  if (await stat(path).catch(() => undefined))
    throw new BackupFileError(`${path} exists, and a backup never replaces a file. Choose another name.`)
  const salt = passphrase === undefined ? undefined : randomBytes(16)
  const key = salt && (await deriveKey(passphrase!, salt))
  const header = Buffer.from(JSON.stringify({ format, ...about, salt: salt?.toString('base64') }))
  const seal = createSeal(header, key)
  const partial = `${path}.partial`
  const file = await explaining(path, () => open(partial, 'w', 0o600))
  const inFlight: Promise<Buffer>[] = []
  let number = 0
  let bytes = 0
  const append = async (...parts: Buffer[]) => {
    for (const part of parts) {
      await explaining(path, () => file.writeFile(part))
      bytes += part.length
    }
  }
  const writeOldest = async (isLast: boolean) => {
    const closed = seal.close(await inFlight.shift()!, { number: number++, isLast })
    await append(lengthOf(closed.length + (isLast ? lastFlag : 0)), closed)
  }
  const start = (kind: PieceKind, content: Buffer) =>
    inFlight.push(pack(Buffer.concat([Buffer.of(kinds.indexOf(kind)), content]), packing))
  await append(magic, lengthOf(header.length), header)
  return {
    async write(kind, content) {
      start(kind, content)
      if (inFlight.length >= piecesAtOnce) await writeOldest(false)
    },
    async finish(summary) {
      start('summary', summary)
      while (inFlight.length > 0) await writeOldest(inFlight.length === 1)
      await explaining(path, async () => {
        await file.sync()
        await refuseOther(file, partial)
        await file.close()
        await rename(partial, path)
        await syncFolder(dirname(path))
      })
      return bytes
    },
    async discard() {
      await file.close().catch(() => {})
      await rm(partial, { force: true })
    },
  }
}

/** Two backups to one name would otherwise finish each other's file. */
async function refuseOther(file: FileHandle, path: string): Promise<void> {
  const [ours, named] = [await file.stat(), await stat(path)]
  if (ours.ino !== named.ino)
    throw new BackupFileError(`${path} was replaced while it was written. Choose another name.`)
}

const lengthOf = (length: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(length)
  return bytes
}

/** Makes a new name permanent. Windows cannot open folders, and keeps names by itself. */
async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return
  const folder = await open(path, 'r')
  await folder.sync().finally(() => folder.close())
}

async function explaining<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === undefined) throw error
    const advice = code === 'ENOSPC' ? 'Free some space' : 'Choose a name in a folder that can be written'
    throw new BackupFileError(`${path} cannot be written (${code}). ${advice}.`, { cause: error })
  }
}

export interface Piece {
  readonly kind: PieceKind
  readonly content: Buffer
  /** How much of the file has been read. */
  readonly position: number
}

export interface BackupReader {
  readonly header: BackupHeader
  readonly size: number
  /** All pieces in order; fails at the first that is not as it was written, and if the last one is missing. */
  pieces(): AsyncGenerator<Piece>
  close(): Promise<void>
}

export async function openBackupFile(path: string, passphrase: string | undefined): Promise<BackupReader> {
  const file = await open(path, 'r').catch((error: NodeJS.ErrnoException) => {
    throw new BackupFileError(`${path} cannot be read (${error.code}). Name the file of a backup.`)
  })
  try {
    const { bytes, header } = await readHeader(file, path)
    const { size } = await file.stat()
    return {
      header,
      size,
      pieces: () => readPieces(file, path, { bytes, header, passphrase }),
      close: () => file.close(),
    }
  } catch (error) {
    await file.close()
    throw error
  }
}

async function readHeader(file: FileHandle, path: string): Promise<{ bytes: Buffer; header: BackupHeader }> {
  const start = await readExactly(file, magic.length + 4, 0)
  if (!start?.subarray(0, magic.length).equals(magic))
    throw new BackupFileError(`${path} is not a backup of Loyalty Wallet. Name a file of "backup".`)
  const length = start.readUInt32BE(magic.length)
  const bytes = length > maxHeaderBytes ? undefined : await readExactly(file, length, start.length)
  try {
    const header: BackupHeader = JSON.parse(String(bytes))
    if (header.format === format) return { bytes: bytes!, header }
    if (header.format > format)
      throw new BackupFileError(
        `${path} was written by a newer version of Loyalty Wallet (${header.serviceVersion}). Use that version, or a later one.`,
      )
  } catch (error) {
    if (error instanceof BackupFileError) throw error
  }
  throw damaged(path, 'its beginning is missing or was altered')
}

export const damaged = (path: string, how: string) =>
  new BackupFileError(`${path} is damaged: ${how}. Use another copy of it, or another backup.`)

async function* readPieces(
  file: FileHandle,
  path: string,
  { bytes, header, passphrase }: { bytes: Buffer; header: BackupHeader; passphrase: string | undefined },
): AsyncGenerator<Piece> {
  if (header.salt !== undefined && passphrase === undefined)
    throw new BackupFileError(
      `${path} is encrypted. Give its key with --key-file FILE, or in the environment variable BACKUP_KEY.`,
    )
  const key = header.salt && (await deriveKey(passphrase!, Buffer.from(header.salt, 'base64')))
  const seal = createSeal(bytes, key || undefined)
  let position = magic.length + 4 + bytes.length
  const ahead: Promise<Piece>[] = []
  for (let number = 0, isLast = false; !isLast || ahead.length > 0; ) {
    if (isLast || ahead.length >= piecesAtOnce) {
      yield await ahead.shift()!
      continue
    }
    const length = (await readExactly(file, 4, position))?.readUInt32BE()
    if (length === undefined) throw damaged(path, 'its end is missing')
    isLast = length >= lastFlag
    const size = length % lastFlag
    if (size < tagBytes || size > maxPieceBytes) throw damaged(path, `piece ${number} was altered`)
    const closed = await readExactly(file, size, position + 4)
    if (!closed) throw damaged(path, 'its end is missing')
    position += 4 + size
    const piece = openPiece(seal, closed, { number: number++, isLast, position, path, isKeyed: !!key })
    // What fails ahead is thrown when it is its turn.
    piece.catch(() => {})
    ahead.push(piece)
  }
  if (await readExactly(file, 1, position)) throw damaged(path, 'something was added at its end')
}

async function openPiece(
  seal: Seal,
  closed: Buffer,
  at: { number: number; isLast: boolean; position: number; path: string; isKeyed: boolean },
): Promise<Piece> {
  const { number, position, path } = at
  const packed = seal.open(closed, at)
  if (!packed && number === 0 && at.isKeyed)
    throw new BackupFileError(
      `${path} cannot be decrypted: this is not the key that it was encrypted with, or its beginning was altered.`,
    )
  const content = packed && (await unpack(packed, { maxOutputLength: maxPieceBytes }).catch(() => undefined))
  const kind = content && kinds[content[0]!]
  if (kind === undefined) throw damaged(path, `piece ${number} was altered`)
  return { kind, content: content!.subarray(1), position }
}

async function readExactly(file: FileHandle, length: number, at: number): Promise<Buffer | undefined> {
  const bytes = Buffer.allocUnsafe(length)
  for (let done = 0; done < length; ) {
    const { bytesRead } = await file.read(bytes, done, length - done, at + done)
    if (bytesRead === 0) return undefined
    done += bytesRead
  }
  return bytes
}
