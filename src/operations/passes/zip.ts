/** A ZIP archive of a few small files, not compressed: the pictures of a pass are, and the rest is short. */
import { crc32 } from 'node:zlib'

/** January 1, 1980: the same files make the same archive. */
const fixedDate = 0x0021
/** File names are UTF-8. */
const flags = 0x0800
const version = 20

export function toZip(files: ReadonlyMap<string, Buffer>): Buffer {
  const parts: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const [name, content] of files) {
    const path = Buffer.from(name)
    const shared = sharedFields(path, content)
    const local = Buffer.concat([words(0x04034b50, 4), shared, path, content])
    const place = Buffer.concat([words(0, 2), words(0, 2), words(0, 2), words(0, 4), words(offset, 4)])
    directory.push(Buffer.concat([words(0x02014b50, 4), words(version, 2), shared, place, path]))
    parts.push(local)
    offset += local.length
  }
  const listed = Buffer.concat(directory)
  const end = [
    ...[words(0x06054b50, 4), words(0, 2), words(0, 2), words(files.size, 2), words(files.size, 2)],
    ...[words(listed.length, 4), words(offset, 4), words(0, 2)],
  ]
  return Buffer.concat([...parts, listed, ...end])
}

/** What a file's own header and its entry in the directory have in common. */
function sharedFields(path: Buffer, content: Buffer): Buffer {
  return Buffer.concat([
    ...[words(version, 2), words(flags, 2), words(0, 2), words(0, 2), words(fixedDate, 2)],
    ...[words(crc32(content), 4), words(content.length, 4), words(content.length, 4)],
    ...[words(path.length, 2), words(0, 2)],
  ])
}

function words(value: number, bytes: 2 | 4): Buffer {
  const buffer = Buffer.alloc(bytes)
  buffer.writeUIntLE(value, 0, bytes)
  return buffer
}
