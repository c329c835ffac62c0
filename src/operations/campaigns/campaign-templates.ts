/**
 * Campaign templates: those of the cookbook, as data. A test compares them with the page; what belongs only
 * to the page's examples, such as dates and the ids of other campaigns, is left out here. Amounts are
 * multiples of what something small costs in the organization's currency, so that each can be published as it
 * is.
 */
import { currencyDecimals } from '../../domain/currency.ts'
import { fromMinor } from '../../domain/money.ts'

export interface CampaignTemplate {
  readonly key: string
  readonly title: string
  readonly description: string
  readonly definition: object
}

const points = [{ key: 'points', name: 'Points' }]

/**
 * What something small costs in currencies where that is far from one. Decimals do not tell: the rupiah
 * officially has two that are not used.
 */
const unitsOf: Readonly<Record<number, string>> = {
  100: `AFN ALL AMD BDT DJF DOP DZD ETB GMD GYD HTG HUF INR ISK JMD JPY KES KGS KZT LKR LRD MKD MZN NPR PKR RSD RUB
    VUV XPF YER`,
  1000: `AOA ARS BIF CDF CLP COP CRC IQD KHR KMF KRW MGA MMK MNT MWK NGN RWF SDG SOS SSP TZS UGX XAF XOF`,
  10000: `GNF IDR IRR LAK LBP PYG SYP UZS VND`,
}

interface Purse {
  readonly currency: string
  readonly decimals: number
  /** The amount of money that earns one point. */
  readonly unit: number
  readonly onePointPerUnit: object
}

function purseIn(currency: string): Purse {
  const found = Object.entries(unitsOf).find(([, currencies]) => currencies.includes(currency))
  const unit = found ? Number(found[0]) : 1
  return {
    currency,
    decimals: currencyDecimals(currency),
    unit,
    onePointPerUnit: { id: 'base', kind: 'points_per_amount', balance: 'points', points: 1, per: unit },
  }
}

export function campaignTemplatesIn(currency: string): CampaignTemplate[] {
  const purse = purseIn(currency)
  return templates.map((make) => make(purse))
}

/** Templates in the order of the cookbook's recipes. */
const templates: readonly ((purse: Purse) => CampaignTemplate)[] = [
  () => ({
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
  }),
  ({ unit, onePointPerUnit, currency }) => ({
    key: 'double-day',
    title: 'Points with a double day',
    description:
      'Points on every purchase, double points on Wednesdays, and an amount off for every 250 points.',
    definition: {
      name: 'Corner shop points',
      balances: points,
      rules: [
        onePointPerUnit,
        { id: 'wednesday', kind: 'multiply', balance: 'points', factor: 2, when: { days: ['wed'] } },
      ],
      rewards: [
        {
          key: 'five-off',
          name: `${inWords(5 * unit, currency)} off`,
          kind: 'amount_off',
          amount: 5 * unit,
        },
      ],
      thresholds: [{ balance: 'points', at: 250, grant: 'five-off' }],
    },
  }),
  () => ({
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
  }),
  ({ unit, onePointPerUnit }) => ({
    key: 'tiered-club',
    title: 'Club with tiers',
    description: 'Customers who buy more earn faster: silver from 200 points, gold from 1,000.',
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
      spend: { balance: 'points', worth: 0.02 * unit, min: 100 },
    },
  }),
  ({ unit, decimals }) => ({
    key: 'cashback',
    title: 'Cashback',
    description: 'Five percent of every purchase comes back as credit, to pay with next time.',
    definition: {
      name: 'Five percent back',
      balances: [{ key: 'credit', name: 'Credit', decimals, expires: { after: 'P12M', endOf: 'month' } }],
      rules: [
        {
          id: 'cashback',
          kind: 'points_per_amount',
          balance: 'credit',
          points: fromMinor(1, decimals),
          per: fromMinor(20, decimals),
        },
      ],
      spend: { balance: 'credit', worth: 1, min: unit },
    },
  }),
  () => ({
    key: 'buy-nine',
    title: 'Buy nine, get one',
    description: 'Buy nine washes and the tenth is free; the free one does not count toward the next.',
    definition: {
      name: 'Tenth wash free',
      balances: [{ key: 'washes', name: 'Washes' }],
      rules: [{ id: 'wash', kind: 'collect_per_item', balance: 'washes', amount: 1, products: ['wash'] }],
      rewards: [
        { key: 'free-wash', name: 'Free wash', kind: 'free_product', products: ['wash-on-the-house'] },
      ],
      thresholds: [{ balance: 'washes', at: 9, grant: 'free-wash', consume: true }],
    },
  }),
  ({ onePointPerUnit }) => ({
    key: 'happy-hour',
    title: 'Happy hour',
    description: 'Triple points on weekday afternoons, only in the branch that is quiet then.',
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
  }),
  ({ unit }) => ({
    key: 'category-booster',
    title: 'Category booster',
    description:
      'Extra points for one category, for as long as you like, on the cards of an existing club: choose the club under Runs on.',
    definition: {
      name: 'Wine weeks',
      balances: points,
      rules: [
        {
          id: 'wine',
          kind: 'points_per_amount',
          balance: 'points',
          points: 2,
          per: unit,
          categories: ['wine'],
        },
      ],
    },
  }),
  ({ unit, onePointPerUnit }) => ({
    key: 'capped-budget',
    title: 'Promotion with a budget',
    description: 'Ten times the points, until 5,000 extra points have been given away.',
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
          per: unit,
          limits: { total: 5000 },
        },
      ],
    },
  }),
  ({ unit, onePointPerUnit }) => ({
    key: 'birthday-coupon',
    title: 'Coupons you issue yourself',
    description:
      'A club with a coupon that you issue to a customer yourself, such as for a birthday or as an apology.',
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
          maxAmount: 15 * unit,
          validDays: 14,
        },
      ],
    },
  }),
]

/** "$5", as shown on a coupon. */
function inWords(amount: number, currency: string): string {
  const format = {
    style: 'currency',
    currency,
    currencyDisplay: 'narrowSymbol',
    maximumFractionDigits: 0,
  } as const
  return new Intl.NumberFormat('en', format).format(amount).replace('\u00a0', ' ')
}
