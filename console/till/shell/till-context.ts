/**
 * Context shared by the parts of the till: the session, names of balances and rewards, and screen reader
 * announcements.
 */
import { createContext, use } from 'react'
import type { Schemas } from '../../api/client.ts'
import type { Session } from '../../api/session.ts'
import { changeWords, type NamedBalance, progressWords, type Towards } from '../../i18n/balance-words.ts'
import { formatMoney } from '../../i18n/format.ts'

export type Campaign = Schemas['Campaign']

export interface TillContextValue {
  readonly session: Session
  /** Published campaigns only. */
  readonly campaigns: readonly Campaign[]
  /** Includes balances of paused and ended campaigns: customers still hold them. */
  readonly balances: readonly Schemas['TillBalance'][]
  /** Reads a message out in a screen reader. */
  readonly announce: (message: string) => void
}

export const TillContext = createContext<TillContextValue | undefined>(undefined)

export function useTillContext(): TillContextValue {
  const till = use(TillContext)
  if (!till) throw new Error('useTillContext needs a TillContext above it')
  return till
}

export function useMoney(): (amount: number) => string {
  const { currency } = useTillContext().session.organization
  return (amount) => formatMoney(amount, currency)
}

/** Names of balances, rewards and tiers as the campaigns define them; falls back to the key. */
export function useNames() {
  const { campaigns, balances } = useTillContext()
  const namedOf = (key: string): NamedBalance =>
    balances.find((balance) => balance.key === key) ?? { name: key }
  const named = (list: readonly { key: string; name?: string }[], key: string) =>
    list.find((item) => item.key === key)?.name ?? key
  return {
    balance: (key: string) => namedOf(key).name,
    decimals: (key: string) => namedOf(key).decimals,
    /** "Points +35" */
    change: (key: string, change: number) => changeWords(namedOf(key), change),
    /** "Free coffee · Stamps earned toward the next coupon: 7 of 10" */
    progress: (key: string, towards: Towards) => progressWords(namedOf(key), towards),
    reward: (key: string) =>
      named(
        campaigns.flatMap(({ rewards }) => rewards ?? []),
        key,
      ),
    campaign: (id: string) => campaigns.find((campaign) => campaign.id === id)?.name ?? id,
    tier: (key: string) =>
      named(
        campaigns.flatMap(({ tiers }) => tiers ?? []),
        key,
      ),
  }
}

/** Element ids that keyboard shortcuts move the focus to. */
export const places = {
  customer: 'till-customer',
  showCard: 'till-show-card',
  products: 'till-products',
  basket: 'till-basket',
  points: 'till-points',
  charge: 'till-charge',
  main: 'till-main',
} as const

export function focusNow(id: string): void {
  const place = document.getElementById(id)
  place?.focus()
  if (place instanceof HTMLInputElement) place.select()
}

/** Moves the focus after the last change is rendered and a closing dialog has returned its focus. */
export function focusOn(id: string): void {
  setTimeout(() => focusNow(id))
}
