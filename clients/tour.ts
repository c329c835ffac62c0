/** What the tour of the README does, step by step, and what each step has to find: the same for every client. */

export interface Demo {
  readonly baseUrl: string
  readonly apiKey: string
  readonly apiSecret: string
  readonly campaignId: string
  /** A phone number that no customer has. */
  readonly phone: string
  /** A receipt number that no sale has; those of the tour begin with it. */
  readonly receipt: string
}

export const expected = {
  'register: points and stamps': [0, 0],
  'register again: refusal, and whose phone number it is': ['existing_customer_with_phone', true],
  'find: name': 'Ada Lovelace',
  'validate: points and stamps': [350, 0],
  'process: reward': 'free_product',
  'process again: same transaction, and points': [true, 350],
  'redeem and spend, validated: due': 2,
  'redeem and spend: due': 2,
  'redeem and spend: actions': [
    'redeem_coupon 3.5',
    'spend_points points 100',
    'collect points 20',
    'collect stamps 1',
  ],
  'ledger: entries': [
    'collect stamps 1',
    'collect points 20',
    'spend points -100',
    'consume stamps -10',
    'collect stamps 10',
    'collect points 350',
  ],
  'return: refund, and points that came back': [2, 100],
  // Returned.
  'return, looked up: status': 3,
}

export type Outcome = Record<keyof typeof expected, unknown>

export function first<T>([item]: readonly T[]): T {
  if (item === undefined) throw new Error('The list is empty.')
  return item
}
