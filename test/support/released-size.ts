import { promisify } from 'node:util'
import { brotliCompress, constants } from 'node:zlib'

/** How many bytes a release sends. It compresses as far as Brotli goes, and the build of a checkout does it quickly. */
export async function releasedSize(content: Uint8Array): Promise<number> {
  const params = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY }
  return (await promisify(brotliCompress)(content, { params })).length
}
