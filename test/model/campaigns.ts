/**
 * The three campaigns that the model knows by heart. They share points and stamps: the club's points expire, all
 * others do not. Every reward has one threshold only, so that a coupon tells where it came from. Returns of the
 * club forgive what is missing, those of the guest card are refused, and those of the bar go below zero.
 *
 * Left out: a consuming threshold on a balance whose lots expire. Which lots then pay for a coupon that comes back
 * is tested next to the code of returns.
 */
export const club = {
  name: 'Club',
  balances: [
    { key: 'points', expires: { after: 'P20D' } },
    { key: 'stamps' },
    { key: 'miles', expires: { inactivity: 'P15D' } },
  ],
  rules: [
    { id: 'base', kind: 'points_per_amount', balance: 'points', points: 3, per: 2 },
    { id: 'latte', kind: 'points_per_amount', balance: 'points', points: 1, per: 0.7, products: ['latte'] },
    { id: 'large', kind: 'multiply', balance: 'points', factor: 1.5, when: { minAmount: 15 } },
    {
      id: 'stamp',
      kind: 'collect_per_item',
      balance: 'stamps',
      amount: 1,
      products: ['latte'],
      limits: { perTransaction: 6, perDay: 9 },
    },
    { id: 'visit', kind: 'collect_per_visit', balance: 'miles', amount: 2 },
    {
      id: 'first',
      kind: 'collect_per_visit',
      balance: 'miles',
      amount: 10,
      when: { firstTransaction: true },
    },
    { id: 'gold', kind: 'collect_per_visit', balance: 'miles', amount: 3, when: { tiers: ['gold'] } },
  ],
  rewards: [
    { key: 'free', kind: 'free_product', products: ['latte'], validDays: 10 },
    { key: 'five', kind: 'amount_off', amount: 5 },
  ],
  thresholds: [
    { balance: 'stamps', at: 5, grant: 'free', consume: true },
    { balance: 'points', at: 40, grant: 'five' },
  ],
  tiers: [{ key: 'gold', balance: 'points', from: 60 }],
  spend: { balance: 'points', worth: 0.05, min: 10, maxShare: 0.5 },
}

export const guest = {
  name: 'Guest',
  balances: [{ key: 'points' }],
  rules: [{ id: 'base', kind: 'points_per_amount', balance: 'points', points: 1, per: 1 }],
  rewards: [{ key: 'two', kind: 'amount_off', amount: 2, validDays: 8 }],
  thresholds: [{ balance: 'points', at: 25, grant: 'two' }],
  onInsufficientBalance: 'reject',
}

/** Its stamps can be spent, so that returns give stamps back, too. */
export const bar = {
  name: 'Bar',
  balances: [{ key: 'points' }, { key: 'stamps' }],
  rules: [
    { id: 'base', kind: 'points_per_amount', balance: 'points', points: 1, per: 2 },
    { id: 'snack', kind: 'collect_per_item', balance: 'stamps', amount: 2, products: ['bun'] },
  ],
  rewards: [{ key: 'snack', kind: 'amount_off', amount: 1, validDays: 6 }],
  thresholds: [{ balance: 'stamps', at: 7, grant: 'snack', consume: true }],
  spend: { balance: 'stamps', worth: 0.1 },
  onInsufficientBalance: 'negative',
}
