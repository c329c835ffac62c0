/**
 * argon2 with its real code and a small cost, in place of the package in tests of the service: a hash of the real
 * cost takes longer than most requests, and many tests need some. What is about that cost asks for it.
 */
import { createRequire } from 'node:module'
import type { Options } from '@node-rs/argon2'

// Not by its name alone, which would lead back here.
const argon2: typeof import('@node-rs/argon2') = createRequire(import.meta.url)('@node-rs/argon2')

let isQuick = true

/** Runs work in which a hash costs what it costs in production. */
export async function withRealPasswordCost<T>(work: () => Promise<T>): Promise<T> {
  isQuick = false
  try {
    return await work()
  } finally {
    isQuick = true
  }
}

/** A hash says what it cost, so comparing with it costs the same. */
export const hash = (password: string, options: Options): Promise<string> =>
  argon2.hash(password, isQuick ? { ...options, memoryCost: 64, timeCost: 1 } : options)

export const { verify } = argon2
