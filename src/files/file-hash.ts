/**
 * By what a file that was interrupted is found again: a hash of its contents, and its length. Not a cryptographic one,
 * which browsers have only over HTTPS.
 */
export interface FileHash {
  update(bytes: Uint8Array): void
  digest(): string
}

export function createFileHash(): FileHash {
  const parts = new Uint32Array([0x9e3779b9, 0x85ebca6b, 0xc2b2ae35, 0x27d4eb2f])
  let length = 0
  return {
    update(bytes) {
      let [a, b, c, d] = parts as unknown as [number, number, number, number]
      for (let i = 0; i < bytes.length; i++) {
        const byte = bytes[i]! + ((length + i) & 0xff00)
        a = Math.imul(a ^ byte, 0x01000193)
        b = Math.imul(b ^ byte, 0x5bd1e995) ^ (a >>> 15)
        c = Math.imul(c ^ byte, 0xcc9e2d51) ^ (b >>> 13)
        d = Math.imul(d ^ byte, 0x1b873593) ^ (c >>> 11)
      }
      parts.set([a, b, c, d])
      length += bytes.length
    },
    digest: () => `${[...parts].map((part) => part.toString(16).padStart(8, '0')).join('')}-${length}`,
  }
}
