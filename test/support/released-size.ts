import { promisify } from 'node:util'
import { brotliCompress } from 'node:zlib'

/** Bytes that a release sends, which compresses as far as Brotli goes. The build of a checkout does it quickly instead. */
export async function releasedSize(content: Uint8Array): Promise<number> {
  return (await promisify(brotliCompress)(content)).length
}
