import type { Problem, Refusal, RefusalCode } from './refusal.ts'

/** The outcome of a pure decision: its value, or the one refusal that stops it. */
export type Result<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly refusal: Refusal }

export function ok<T>(value: T): Result<T> {
  return { ok: true, value }
}

export function refuse(code: RefusalCode, problem?: Problem): Result<never> {
  return { ok: false, refusal: problem === undefined ? { code } : { code, problem } }
}
