/**
 * What the till knows for the day, so that it can sell without a network: who is signed in, the products with
 * their prices, campaigns, balances and branches. Nothing about customers. Signing out removes it.
 */
import { isUnanswered } from '../../api/client.ts'
import type { Session } from '../../api/session.ts'

const prefix = 'lw-till-day-'
const keptForMs = 24 * 60 * 60_000

function remember(name: string, value: unknown): void {
  try {
    localStorage.setItem(prefix + name, JSON.stringify({ at: Date.now(), value }))
  } catch {
    // If the storage is full, the till works as long as the network does.
  }
}

function recall<T>(name: string): T | undefined {
  try {
    const { at, value } = JSON.parse(localStorage.getItem(prefix + name) ?? '{}')
    const age = Date.now() - at
    return age >= 0 && age < keptForMs ? value : undefined
  } catch {
    return undefined
  }
}

export const rememberSession = (session: Session): void => remember('session', session)
export const recallSession = (): Session | undefined => recall('session')

/** Reads from the service, and what it said last if it cannot be reached. */
export async function readOrRecall<T>(
  organization: string,
  name: string,
  read: () => Promise<T>,
): Promise<T> {
  const key = `${name}-${organization}`
  try {
    const value = await read()
    remember(key, value)
    return value
  } catch (error) {
    const recalled = isUnanswered(error) ? recall<T>(key) : undefined
    if (recalled === undefined) throw error
    return recalled
  }
}

export function forgetDay(): void {
  const keys = Array.from({ length: localStorage.length }, (_, i) => localStorage.key(i)!)
  for (const key of keys) if (key.startsWith(prefix)) localStorage.removeItem(key)
}
