/** Compares signatures in constant time. Their length is public, their contents are not. */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto'

/** HMAC-SHA256 of the parts, one after the other. */
export function hmacOf(secret: string, ...parts: readonly (string | Buffer)[]): Buffer {
  const hmac = createHmac('sha256', secret)
  for (const part of parts) hmac.update(part)
  return hmac.digest()
}

export function isBase64Of(text: string | undefined, digest: Buffer): boolean {
  return text !== undefined && isSameText(text.trim(), digest.toString('base64'))
}

/** Hashed first, so that texts of different lengths are compared like others. */
export function isSameText(a: string, b: string): boolean {
  return timingSafeEqual(hashOf(a), hashOf(b))
}

const hashOf = (text: string) => createHash('sha256').update(text).digest()
