/**
 * The two campaigns that the model knows by heart. They share points: the club's expire, the guest card's do not.
 * Every reward has one threshold only, so that a coupon tells where it came from.
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
  rewards: [{ key: 'two', kind: 'amount_off', amount: 2 }],
  thresholds: [{ balance: 'points', at: 55, grant: 'two' }],
  onInsufficientBalance: 'reject',
}
