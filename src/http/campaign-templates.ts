/**
 * Campaigns to begin with: those of the cookbook, as data. A test compares them with the page; what belongs to the
 * page's own story, such as dates and the ids of other campaigns, is left out here.
 */
export interface CampaignTemplate {
  readonly key: string
  readonly title: string
  readonly description: string
  readonly definition: object
}

const points = [{ key: 'points', name: 'Points' }]
const onePointPerUnit = { id: 'base', kind: 'points_per_amount', balance: 'points', points: 1, per: 1 }

/** In the order of the cookbook's recipes. */
export const campaignTemplates: readonly CampaignTemplate[] = [
  {
    key: 'coffee-stamps',
    title: 'Stamp card',
    description: 'A stamp for every coffee, and ten stamps turn into a coupon for a free one.',
    definition: {
      name: 'Coffee stamps',
      balances: [{ key: 'stamps', name: 'Stamps' }],
      rules: [
        { id: 'coffee', kind: 'collect_per_item', balance: 'stamps', amount: 1, categories: ['coffee'] },
      ],
      rewards: [
        {
          key: 'free-coffee',
          name: 'Free coffee',
          kind: 'free_product',
          products: ['espresso', 'latte', 'flat-white'],
          validDays: 30,
        },
      ],
      thresholds: [{ balance: 'stamps', at: 10, grant: 'free-coffee', consume: true }],
    },
  },
  {
    key: 'double-day',
    title: 'Points with a double day',
    description: 'A point for every whole unit of money, two on Wednesdays, and 5 off for every 250 points.',
    definition: {
      name: 'Corner shop points',
      balances: points,
      rules: [
        onePointPerUnit,
        { id: 'wednesday', kind: 'multiply', balance: 'points', factor: 2, when: { days: ['wed'] } },
      ],
      rewards: [{ key: 'five-off', name: '5 off', kind: 'amount_off', amount: 5 }],
      thresholds: [{ balance: 'points', at: 250, grant: 'five-off' }],
    },
  },
  {
    key: 'welcome-gift',
    title: 'Welcome gift',
    description: "A gift for the customer's first purchase, to be picked up on the second.",
    definition: {
      name: 'Bakery club',
      balances: [{ key: 'welcome', name: 'Welcome gift' }],
      rules: [
        {
          id: 'first-purchase',
          kind: 'collect_per_visit',
          balance: 'welcome',
          amount: 1,
          when: { firstTransaction: true },
        },
      ],
      rewards: [
        { key: 'tote-bag', name: 'Tote bag', kind: 'free_product', products: ['tote-bag'], validDays: 60 },
      ],
      thresholds: [{ balance: 'welcome', at: 1, grant: 'tote-bag', consume: true }],
    },
  },
  {
    key: 'tiered-club',
    title: 'Club with tiers',
    description: 'Who buys more earns faster: silver from 200 points, gold from 1,000.',
    definition: {
      name: 'Outdoor club',
      balances: points,
      tiers: [
        { key: 'member', name: 'Member', balance: 'points', from: 0 },
        { key: 'silver', name: 'Silver', balance: 'points', from: 200 },
        { key: 'gold', name: 'Gold', balance: 'points', from: 1000 },
      ],
      rules: [
        onePointPerUnit,
        { id: 'silver', kind: 'multiply', balance: 'points', factor: 1.25, when: { tiers: ['silver'] } },
        { id: 'gold', kind: 'multiply', balance: 'points', factor: 1.5, when: { tiers: ['gold'] } },
      ],
      spend: { balance: 'points', worth: 0.02, min: 100 },
    },
  },
  {
    key: 'cashback',
    title: 'Cashback',
    description: 'Five percent of every purchase comes back as credit, to pay with next time.',
    definition: {
      name: 'Five percent back',
      balances: [{ key: 'credit', name: 'Credit', decimals: 2, expires: { after: 'P12M', endOf: 'month' } }],
      rules: [{ id: 'cashback', kind: 'points_per_amount', balance: 'credit', points: 0.01, per: 0.2 }],
      spend: { balance: 'credit', worth: 1, min: 1 },
    },
  },
  {
    key: 'buy-nine',
    title: 'Buy nine, get one',
    description: 'Nine washes bought, the tenth is free, and the free one does not count towards the next.',
    definition: {
      name: 'Tenth wash free',
      balances: [{ key: 'washes', name: 'Washes' }],
      rules: [{ id: 'wash', kind: 'collect_per_item', balance: 'washes', amount: 1, products: ['wash'] }],
      rewards: [
        { key: 'free-wash', name: 'Free wash', kind: 'free_product', products: ['wash-on-the-house'] },
      ],
      thresholds: [{ balance: 'washes', at: 9, grant: 'free-wash', consume: true }],
    },
  },
  {
    key: 'happy-hour',
    title: 'Happy hour',
    description: 'Triple points on weekday afternoons, only in the branch that is empty then.',
    definition: {
      name: 'Ice cream points',
      balances: points,
      rules: [
        onePointPerUnit,
        {
          id: 'happy-hour',
          kind: 'multiply',
          balance: 'points',
          factor: 3,
          when: {
            branches: ['old-town'],
            days: ['mon', 'tue', 'wed', 'thu', 'fri'],
            from: '15:00',
            to: '17:00',
          },
        },
      ],
    },
  },
  {
    key: 'category-booster',
    title: 'Category booster',
    description:
      'Extra points for one category, for as long as you like, on the cards of a club that customers already have: choose it under Runs on.',
    definition: {
      name: 'Wine weeks',
      balances: points,
      rules: [
        {
          id: 'wine',
          kind: 'points_per_amount',
          balance: 'points',
          points: 2,
          per: 1,
          categories: ['wine'],
        },
      ],
    },
  },
  {
    key: 'capped-budget',
    title: 'Promotion with a budget',
    description: 'Nine extra points for every unit of money, until 5,000 of them are given away.',
    definition: {
      name: 'Furniture club',
      balances: points,
      rules: [
        onePointPerUnit,
        {
          id: 'opening',
          kind: 'points_per_amount',
          balance: 'points',
          points: 9,
          per: 1,
          limits: { total: 5000 },
        },
      ],
    },
  },
  {
    key: 'birthday-coupon',
    title: 'Coupons by hand',
    description: 'A club with a coupon that you give to a customer yourself: for a birthday, as an apology.',
    definition: {
      name: 'Book club',
      balances: points,
      rules: [onePointPerUnit],
      rewards: [
        {
          key: 'birthday',
          name: '20 % for your birthday',
          kind: 'percent_off',
          percent: 20,
          maxAmount: 15,
          validDays: 14,
        },
      ],
    },
  },
]
