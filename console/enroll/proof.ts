/**
 * The proof of work that the service asks for: a nonce such that SHA-256 of `challenge.nonce` begins with enough zero
 * bits. Written by hand, because the browser's own SHA-256 is asynchronous (ten times slower for so short a text)
 * and missing where the page is served without TLS.
 */

/** How many are tried before the worker looks up: a few milliseconds on an old phone. */
export const batch = 2_000

export interface Search {
  /** The nonce, if it is among the next `batch`. */
  next(): string | undefined
}

/**
 * Filled up to the end of the first block of 64 bytes, so that its part of the hash is computed once: only the count
 * after it changes.
 */
export function createSearch(challenge: string, bits: number): Search {
  const prefix = `${challenge}.`
  const filler = 'n'.repeat((64 - (prefix.length % 64)) % 64)
  const fixed = new TextEncoder().encode(prefix + filler)
  const middle = initial.slice()
  for (let at = 0; at < fixed.length; at += 64) compress(middle, wordsOf(fixed.subarray(at, at + 64)))
  const hash = new Int32Array(8)
  let count = 0
  return {
    next() {
      for (const end = count + batch; count < end; count++) {
        const counted = String(count)
        hash.set(middle)
        compress(hash, lastBlock(counted, fixed.length + counted.length))
        if (leadingZeros(hash) >= bits) return filler + counted
      }
      return undefined
    },
  }
}

/** Enough for 64 bits, which no difficulty comes near. */
function leadingZeros(hash: Int32Array): number {
  const first = Math.clz32(hash[0]!)
  return first < 32 ? first : 32 + Math.clz32(hash[1]!)
}

const last = new Int32Array(16)

/** The digits, the bit that ends them, and the length of the whole text in bits. */
function lastBlock(digits: string, length: number): Int32Array {
  last.fill(0)
  for (let i = 0; i < digits.length; i++) last[i >> 2]! |= digits.charCodeAt(i) << (24 - (i & 3) * 8)
  last[digits.length >> 2]! |= 0x80 << (24 - (digits.length & 3) * 8)
  last[15] = length * 8
  return last
}

function wordsOf(bytes: Uint8Array): Int32Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  return Int32Array.from({ length: 16 }, (_, i) => view.getInt32(i * 4))
}

const primes: number[] = []
for (let n = 2; primes.length < 64; n++) if (primes.every((prime) => n % prime !== 0)) primes.push(n)
const fraction = (root: number) => ((root % 1) * 2 ** 32) | 0
const initial = Int32Array.from(primes.slice(0, 8), (prime) => fraction(Math.sqrt(prime)))
const constants = Int32Array.from(primes, (prime) => fraction(Math.cbrt(prime)))
const schedule = new Int32Array(64)

/** One block of SHA-256 (FIPS 180-4), with the letters that the standard uses. */
function compress(state: Int32Array, block: Int32Array): void {
  const w = schedule
  w.set(block)
  for (let i = 16; i < 64; i++) {
    const x = w[i - 15]!
    const y = w[i - 2]!
    const s0 = ((x >>> 7) | (x << 25)) ^ ((x >>> 18) | (x << 14)) ^ (x >>> 3)
    const s1 = ((y >>> 17) | (y << 15)) ^ ((y >>> 19) | (y << 13)) ^ (y >>> 10)
    w[i] = (w[i - 16]! + s0 + w[i - 7]! + s1) | 0
  }
  let a = state[0]!
  let b = state[1]!
  let c = state[2]!
  let d = state[3]!
  let e = state[4]!
  let f = state[5]!
  let g = state[6]!
  let h = state[7]!
  for (let i = 0; i < 64; i++) {
    const s1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7))
    const t1 = (h + s1 + ((e & f) ^ (~e & g)) + constants[i]! + w[i]!) | 0
    const s0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10))
    const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0
    h = g
    g = f
    f = e
    e = (d + t1) | 0
    d = c
    c = b
    b = a
    a = (t1 + t2) | 0
  }
  state[0]! += a
  state[1]! += b
  state[2]! += c
  state[3]! += d
  state[4]! += e
  state[5]! += f
  state[6]! += g
  state[7]! += h
}
