import { hash } from 'node:crypto'

/** Fingerprint of a parsed body: the order of properties does not matter, everything else does. */
export function fingerprint(body: unknown): Buffer {
  return hash('sha256', canonical(body), 'buffer').subarray(0, 16)
}

function canonical(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  let text = ''
  if (Array.isArray(value)) {
    for (const item of value) text += `${canonical(item)},`
    return `[${text}]`
  }
  for (const key of Object.keys(value).sort()) {
    text += `${JSON.stringify(key)}:${canonical((value as Record<string, unknown>)[key])},`
  }
  return `{${text}}`
}
