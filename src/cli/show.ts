/** How values of the API are shown to people. */
import type { Schemas } from '../../sdk/src/index.ts'

/** Names of the status codes, as the API document has them. */
const words = {
  CustomerStatus: { 1: 'active', 2: 'blocked' },
  CardStatus: { 1: 'active', 2: 'blocked', 3: 'replaced', 4: 'closed' },
  TransactionStatus: { 1: 'processed', 2: 'partly returned', 3: 'returned' },
} as const

export function wordOf(list: keyof typeof words, code: number): string {
  return (words[list] as Record<number, string>)[code] ?? String(code)
}

export const toDay = (time: string): string => time.slice(0, 10)
/** UTC, because readers may be anywhere. */
export const toMinute = (time: string): string => `${time.slice(0, 16).replace('T', ' ')}Z`
export const toSecond = (time: string): string => `${time.slice(0, 19).replace('T', ' ')}Z`

/** In the organization's currency, with as many digits as the number needs and at least two if it has any. */
export const toMoney = (amount: number): string =>
  Number.isInteger(amount) ? String(amount) : amount.toFixed(2)

export const toBalances = (balances: Schemas['Collectables']): string =>
  Object.entries(balances)
    .map(([key, { value }]) => `${value} ${key}`)
    .join(', ')

type Action = Schemas['Action']

export function toActionText(action: Action): string {
  switch (action.type) {
    case 'collect':
      return `collects ${action.amount} ${action.key} (${action.rule}), then has ${action.value}`
    case 'spend_points':
      return `spends ${action.amount} ${action.key} for a discount of ${toMoney(action.discount)}, then has ${action.value}`
    case 'redeem_coupon':
      return `redeems ${action.coupon} for a discount of ${toMoney(action.discount)}`
    case 'grant_coupon':
      return `grants the coupon "${action.reward}"${action.coupon ? ` ${action.coupon}` : ''}`
    case 'return':
      return `changes ${action.key} by ${action.amount}, then has ${action.value}`
    case 'revoke_coupon':
      return `revokes ${action.coupon}`
    case 'restore_coupon':
      return `restores ${action.coupon}`
    default:
      return `${action.type} ${JSON.stringify(action)}`
  }
}

/** What a sale has earned, from its actions. */
export function toEarned(actions: readonly Action[]): string {
  const sums = new Map<string, number>()
  for (const action of actions)
    if (action.type === 'collect') sums.set(action.key, (sums.get(action.key) ?? 0) + action.amount)
  return [...sums].map(([key, amount]) => `+${amount} ${key}`).join(', ')
}
