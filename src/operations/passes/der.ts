/** As much of ASN.1 DER as a signature needs: writing values, and walking through a certificate. */

export const derTag = {
  integer: 0x02,
  octets: 0x04,
  null: 0x05,
  oid: 0x06,
  utcTime: 0x17,
  generalizedTime: 0x18,
  sequence: 0x30,
  set: 0x31,
  context0: 0xa0,
} as const

export function der(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts)
  return Buffer.concat([Buffer.from([tag]), lengthOf(content.length), content])
}

function lengthOf(length: number): Buffer {
  if (length < 0x80) return Buffer.from([length])
  const bytes: number[] = []
  for (let rest = length; rest > 0; rest = Math.floor(rest / 256)) bytes.unshift(rest % 256)
  return Buffer.from([0x80 | bytes.length, ...bytes])
}

export function derOid(text: string): Buffer {
  const [first = 0, second = 0, ...rest] = text.split('.').map(Number)
  const bytes = [first * 40 + second, ...rest].flatMap((part) => {
    const groups = [part % 128]
    for (let left = Math.floor(part / 128); left > 0; left = Math.floor(left / 128)) {
      groups.unshift((left % 128) | 0x80)
    }
    return groups
  })
  return der(derTag.oid, Buffer.from(bytes))
}

export const derInteger = (value: number): Buffer => der(derTag.integer, Buffer.from([value]))

/** A time in the form that X.509 and CMS require: two digits for the year until 2049, four from then on. */
export function derTime(at: Date): Buffer {
  const text = at.toISOString().replace(/[-:T]|\.\d+/g, '')
  return at.getUTCFullYear() < 2050
    ? der(derTag.utcTime, Buffer.from(text.slice(2)))
    : der(derTag.generalizedTime, Buffer.from(text))
}

export interface DerValue {
  readonly tag: number
  /** With its tag and length. */
  readonly whole: Buffer
  readonly content: Buffer
}

/** The values inside a constructed one, such as a sequence. */
export function derValues(bytes: Buffer): DerValue[] {
  const values: DerValue[] = []
  for (let at = 0; at < bytes.length; ) {
    const { start, length } = readLength(bytes, at + 1)
    const end = start + length
    if (end > bytes.length) throw new Error('The DER is cut off.')
    values.push({ tag: bytes[at]!, whole: bytes.subarray(at, end), content: bytes.subarray(start, end) })
    at = end
  }
  return values
}

function readLength(bytes: Buffer, at: number): { start: number; length: number } {
  const first = bytes[at] ?? 0
  if (first < 0x80) return { start: at + 1, length: first }
  const count = first & 0x7f
  return { start: at + 1 + count, length: count > 0 && count <= 4 ? bytes.readUIntBE(at + 1, count) : 0 }
}
