import { createHash } from 'node:crypto'

/** Tells whether two parsed bodies are the same: the order of members does not matter, everything else does. */
export function fingerprint(body: unknown): Buffer {
  return createHash('sha256').update(canonical(body)).digest().subarray(0, 16)
}

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`
  if (typeof value === 'object' && value !== null) {
    const members = Object.keys(value).sort()
    return `{${members.map((key) => `${JSON.stringify(key)}:${canonical((value as Record<string, unknown>)[key])}`).join()}}`
  }
  return JSON.stringify(value) ?? 'null'
}
